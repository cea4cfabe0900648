import { expect, test } from "vitest";
import { SessionMessages } from "../../../../warehouse/import/session-messages.ts";

const row = (click_id: string, os_name: string) => ({ device: { click_id, os_name } });

test("more sessions than the capacity return the oldest one", () => {
  const sessions = new SessionMessages(2);
  expect([row("a", ""), row("b", "x"), row("a", "y")].map((one) => sessions.add(one))).toEqual([
    ...[undefined, undefined, undefined],
  ]);
  expect(sessions.add(row("c", "z"))).toEqual(row("a", "y"));
  expect([...sessions.all()]).toEqual([row("b", "x"), row("c", "z")]);
});
