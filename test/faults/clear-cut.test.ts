import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { clearLayers } from "../../warehouse/batch/clear-layers.ts";
import { clearAll } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { digestsFromScratch, digestsOf, load, newEpoch, publish } from "../support/pipeline.ts";
import { beforeStatements } from "../support/replace-methods.ts";
import { sampleOf } from "../support/sample.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
let messages: readonly Message[];
beforeAll(async () => {
  ({ messages } = await generateMessages("clear", 3));
});

/** One load, and messages of the next one, which repeat it in a new epoch. */
async function fillLayers(): Promise<void> {
  await clearAll(engine.db);
  await publish(engine.db, messages);
  await load(engine.db, "full");
  await newEpoch(engine.db);
  await publish(engine.db, messages.slice(-12));
}

/** `db`, which counts the statements that truncate and fails before the next one. */
function cutAfter(db: Database, statements: number): { db: Database; truncated: string[] } {
  const truncated: string[] = [];
  const cut = beforeStatements(db, async (sql) => {
    if (!sql.startsWith("TRUNCATE")) return;
    if (truncated.length === statements) throw new Error("interrupted");
    truncated.push(sql);
  });
  return { db: cut, truncated };
}

/** Tables that the reference depends on. */
const rawRows = () =>
  engine.db.rows("SELECT _topic, count() FROM stg.raw GROUP BY _topic ORDER BY _topic");

test("the next load repairs a clear that was interrupted before any of its statements", {
  timeout: 1_200_000,
}, async () => {
  await fillLayers();
  const whole = cutAfter(engine.db, Infinity);
  await clearLayers(whole.db);
  expect(whole.truncated.length).toBeGreaterThan(20);
  const repaired: unknown[] = [];
  const expected: unknown[] = [];
  const references = new Map<string, unknown>();
  for (const [before, statement] of sampleOf([...whole.truncated.entries()], 4)) {
    await fillLayers();
    await expect(clearLayers(cutAfter(engine.db, before).db)).rejects.toThrow("interrupted");
    await publish(engine.db, messages.slice(-12));
    await load(engine.db, "incremental");
    repaired.push([`before ${statement}`, await digestsOf(engine.db)]);
    const raw = JSON.stringify(await rawRows());
    if (!references.has(raw)) references.set(raw, await digestsFromScratch(engine.db));
    expected.push([`before ${statement}`, references.get(raw)]);
  }
  expect(repaired).toEqual(expected);
});
