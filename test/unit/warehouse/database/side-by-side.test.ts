import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { sideBySide, takeTurns } from "../../../../warehouse/database/side-by-side.ts";

test("after a failure all work ends before the first error is thrown", async () => {
  const ended: string[] = [];
  const work = async (name: string, milliseconds: number, fails: boolean): Promise<string> => {
    await sleep(milliseconds);
    ended.push(name);
    if (fails) throw new Error(name);
    return name;
  };
  await expect(
    sideBySide([work("a", 20, false), work("b", 10, true), work("c", 1, true)]),
  ).rejects.toThrow("b");
  expect(ended).toEqual(["c", "b", "a"]);
  expect(await sideBySide([work("d", 2, false), work("e", 1, false)])).toEqual(["d", "e"]);
});

test("each turn begins when the one before has ended, and none after a failure", async () => {
  const events: string[] = [];
  const turns = takeTurns();
  const work = (name: string, fails = false) =>
    turns(async () => {
      events.push(`${name} begins`);
      await sleep(5);
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  const all = await Promise.allSettled([work("a"), work("b", true), work("c")]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(events).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});
