import { expect, test } from "vitest";
import { transform } from "../../warehouse/batch/transform.ts";
import { clearAll } from "../support/engine.ts";
import { CHANGED_ROWS, derivedDigests, load, newEpoch, publish } from "../support/pipeline.ts";
import { sampleOf } from "../support/sample.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { OLD, of, session } from "../support/visitors.ts";

const engine = useTestEngine();

/** A session with another visitor, and one that arrives after later ones. */
async function prepare(): Promise<void> {
  await clearAll(engine.db);
  await publish(engine.db, OLD);
  await load(engine.db, "incremental");
  await newEpoch(engine.db);
  await publish(engine.db, [of(1, "other"), ...session(4, 11, "other")]);
}

async function loadUnless(stop: (file: string) => boolean): Promise<void> {
  await transform(engine.db, {
    fullRefresh: false,
    waitSeconds: 1,
    plan: CHANGED_ROWS,
    onStatement: (file) => {
      if (stop(file)) throw new Error("stopped");
    },
  });
}

test("sessions and visitors are right after a load that stopped before any statement of theirs", async () => {
  const files: string[] = [];
  await prepare();
  await loadUnless((file) => files.push(file) === 0);
  const expected = await derivedDigests(engine.db);
  const first = files.indexOf("dm.session");
  const last = files.lastIndexOf("dm.visitor");
  expect(last - first).toBeGreaterThan(15);
  const stops = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  for (const stop of sampleOf(stops, 4)) {
    await prepare();
    let run = 0;
    await expect(loadUnless(() => run++ === stop)).rejects.toThrow("stopped");
    await load(engine.db, "incremental");
    expect(await derivedDigests(engine.db), files[stop]).toEqual(expected);
  }
  await load(engine.db, "full");
  expect(await derivedDigests(engine.db)).toEqual(expected);
});
