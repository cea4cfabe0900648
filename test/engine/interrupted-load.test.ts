import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { type Dataset, openDataset } from "../../generator/dataset/format.ts";
import { loadIntoStg } from "../../warehouse/loader/stg.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { renderReconciliation } from "../../warehouse/reconciliation/render.ts";
import { requireComplete } from "../../warehouse/reconciliation/requirements.ts";
import { currentEpoch } from "../../warehouse/sources/epoch.ts";
import { readSources } from "../../warehouse/sources/stored.ts";
import { clearAll } from "../support/engine.ts";
import { generateMessages } from "../support/messages.ts";
import { load, newEpoch, publish } from "../support/pipeline.ts";
import { replaceMethods } from "../support/replace-methods.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
let dataset: Dataset;
beforeAll(async () => {
  dataset = await openDataset(join(import.meta.dirname, "../../data/sample"));
});
beforeEach(() => clearAll(engine.db));

const slice = (limit: number, reset = true) => loadIntoStg(engine.db, dataset, { limit, reset });

/** The database of a killed load: only the first messages reach it. */
function killedAfter(messages: number): Database {
  const { db } = engine;
  const insertTsv: Database["insertTsv"] = async (table, columns, data) => {
    if (table !== "stg.raw") return db.insertTsv(table, columns, data);
    const parts: Uint8Array[] = [];
    for await (const part of data) parts.push(part);
    const lines = Buffer.concat(parts).toString().split("\n").slice(0, messages);
    const first = Buffer.from(lines.map((line) => `${line}\n`).join(""));
    if (messages > 0) await db.insertTsv(table, columns, Readable.from([first]));
    throw new Error("killed");
  };
  return replaceMethods(db, { insertTsv });
}

const kill = (messages: number, reset = true, limit = 50) =>
  expect(loadIntoStg(killedAfter(messages), dataset, { limit, reset })).rejects.toThrow("killed");

const inStg = async (): Promise<number> => {
  const [row] = await engine.db.rows<{ count: number }>("SELECT count() AS count FROM stg.raw");
  return row?.count ?? 0;
};

test("a killed load is incomplete, and the command in the hint repairs it", async () => {
  await kill(70);
  await load(engine.db, "full");
  const reconciliation = await prove(engine.db);
  expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
  const text = renderReconciliation(reconciliation);
  expect(text).toContain(`was interrupted, after ${await inStg()} messages`);
  expect(text).toContain(`pipeline data --database ${engine.db.directory}`);
  expect(() => requireComplete(reconciliation, 86_400)).toThrow(/was interrupted, after/);

  const epoch = await currentEpoch(engine.db);
  await slice(50);
  await load(engine.db, "full");
  const repaired = await prove(engine.db);
  expect(repaired).toMatchObject({ verdict: "accounted", waiting: [] });
  expect(repaired.notes).toEqual([
    expect.stringMatching(new RegExp(`of epoch ${epoch} was interrupted after [\\d,]+ messages`)),
  ]);
});

test("a load that was killed before its first message is incomplete", async () => {
  await kill(0);
  expect((await prove(engine.db)).verdict).toBe("incomplete");
});

test("an append to an interrupted load is refused before it inserts", async () => {
  await kill(70);
  const before = await inStg();
  await expect(slice(20, false)).rejects.toMatchObject({
    message: expect.stringMatching(/was interrupted: .*Nothing was loaded/),
    hint: expect.stringMatching(/without --no-reset/),
  });
  expect(await inStg()).toBe(before);
});

test("an append to messages without a source is refused before it inserts", async () => {
  const { messages } = await generateMessages("own", 2);
  await publish(engine.db, messages);
  await expect(slice(20, false)).rejects.toThrow(/its sources sent 0.*Nothing was loaded/);
  expect(await inStg()).toBe(messages.length);
});

test("a killed append is incomplete and not a surplus; a load with a reset repairs it", async () => {
  await slice(50);
  const before = await inStg();
  await kill(70, false, 20);
  await load(engine.db, "full");
  const reconciliation = await prove(engine.db);
  expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
  const appended = (await inStg()) - before;
  expect(renderReconciliation(reconciliation)).toContain(
    `was interrupted, after ${appended} messages`,
  );
  await slice(20);
  await load(engine.db, "full");
  expect((await prove(engine.db)).verdict).toBe("accounted");
});

test("a finished load and a finished append are final, and accounted for exactly", async () => {
  await slice(50);
  await slice(20, false);
  await load(engine.db, "full");
  const sources = await readSources(engine.db, await currentEpoch(engine.db));
  expect(sources.map(({ isFinal }) => isFinal)).toEqual([true, true]);
  expect((await prove(engine.db)).verdict).toBe("accounted");
});

test("own data beside a load: the reconciliation claims only the comparison that it made", async () => {
  const { messages } = await generateMessages("own", 2);
  await publish(engine.db, messages);
  await newEpoch(engine.db);
  await slice(20);
  await load(engine.db, "full");
  const reconciliation = await prove(engine.db);
  expect(reconciliation.verdict).toBe("accounted");
  expect(renderReconciliation(reconciliation)).toContain(
    "against the sources of 1 of 2 epochs: 0 unaccounted.",
  );
});
