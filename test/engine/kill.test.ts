import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestEngine } from "../support/engine.ts";
import {
  type Kill,
  type Mode,
  runAndKill,
  runUndisturbed,
  type Undisturbed,
  withCopy,
} from "../support/kill.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { newEpoch, publish } from "../support/pipeline.ts";

/** A data directory with a finished first load and more raw messages, some of them repeats. */
let base: string;
const expected = {} as Record<Mode, Undisturbed>;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "kill-base-"));
  const { messages } = await generateMessages("kill", 20);
  // Cut by time, not by stream: visits go on in the second load, with new events of known visits.
  const inTime = messages.toSorted((a, b) => (a.emittedAt ?? 0) - (b.emittedAt ?? 0));
  const half = Math.floor(inTime.length / 2);
  await fill(inTime.slice(0, half), false);
  await runUndisturbed(base, "full");
  await fill(inTime.slice(half), false);
  await fill(inTime.slice(0, 50), true);
  for (const mode of ["full", "incremental"] as const) {
    expected[mode] = await withCopy(base, (copy) => runUndisturbed(copy, mode));
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function fill(messages: readonly Message[], inNewEpoch: boolean): Promise<void> {
  await using engine = await openTestEngine({ directory: base });
  if (inNewEpoch) await newEpoch(engine.db);
  await publish(engine.db, messages);
}
describe.each(["full", "incremental"] as const)("a killed %s run, run again", (mode) => {
  test("gives the digests of an undisturbed run, killed before any statement or amid one", {
    timeout: 900_000,
  }, async () => {
    const { statements, milliseconds, digests } = expected[mode];
    const before = Array.from({ length: statements }, (_, index) => ({ statement: index + 1 }));
    const during = fc.sample(fc.double({ min: 0.4, max: 0.95, noNaN: true }), {
      numRuns: 4,
      seed: 12,
    });
    const times = during.map((share) => ({ milliseconds: share * milliseconds }));
    const kills: Kill[] = [...before, ...times];
    for (const kill of kills) {
      await withCopy(base, async (copy) => {
        const wasKilled = await runAndKill(copy, mode, kill);
        // A kill by time may come late on a fast machine; one before a statement never does.
        expect(wasKilled || "milliseconds" in kill).toBe(true);
        const again = await runUndisturbed(copy, mode);
        expect(again.digests, JSON.stringify(kill)).toEqual(digests);
      });
    }
  });
});
