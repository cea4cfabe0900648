import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Kill,
  type KillBase,
  prepareKillBase,
  type Run,
  runAndKill,
  runUndisturbed,
  VICTIMS,
  withCopy,
} from "../support/kill.ts";
import { IS_EXHAUSTIVE, sampleOf } from "../support/sample.ts";

const RUNS: readonly Run[] = [{ mode: "full" }, { mode: "incremental" }];

let base: KillBase;
beforeAll(async () => {
  base = await prepareKillBase();
});
afterAll(() => base?.[Symbol.dispose]());

describe.each(RUNS)("a repeated run after a killed $mode run", (run) => {
  test("gives the digests of an undisturbed run, killed before sampled statements or at a fixed share of its time", {
    timeout: 900_000,
  }, async () => {
    const undisturbed = await withCopy(base.directory, (copy) => runUndisturbed(copy, run));
    const statements = undisturbed.files.map((_, index) => ({ statement: index + 1 }));
    const before = sampleOf(statements, 3, ({ statement }) => `${statement}`);
    const during = fc.sample(fc.double({ min: 0.4, max: 0.95, noNaN: true }), {
      numRuns: IS_EXHAUSTIVE ? 10 : 1,
      seed: 12,
    });
    const times = during.map((share) => ({ milliseconds: share * undisturbed.milliseconds }));
    const kills: Kill[] = [...before, ...times].map((time, index) => ({
      ...time,
      victim: VICTIMS[index % VICTIMS.length] ?? "command",
    }));
    for (const kill of kills) {
      await withCopy(base.directory, async (copy) => {
        const wasKilled = await runAndKill(copy, run, kill);
        // A kill by time may come late on a fast machine; one before a statement never does.
        expect(wasKilled || "milliseconds" in kill).toBe(true);
        const again = await runUndisturbed(copy, run);
        expect(again.digests, JSON.stringify(kill)).toEqual(undisturbed.digests);
      });
    }
  });
});
