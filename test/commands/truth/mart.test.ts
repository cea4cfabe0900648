import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Manifest } from "../../../contract/manifest.ts";
import { emptyStatement } from "../../../contract/statement.ts";
import { HOUR } from "../../../contract/time.ts";
import { runBackfill } from "../../../generator/backfill.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import { differenceOf } from "../../../report/findings.ts";
import { demoConfig } from "../../../warehouse/demo/config.ts";
import { isDifference, readComparisons } from "../../../warehouse/history/truth.ts";
import { currentEpoch } from "../../../warehouse/sources/epoch.ts";
import { storeSource } from "../../../warehouse/sources/stored.ts";
import { readQuery } from "../../../warehouse/sql.ts";
import { clearAll } from "../../support/engine.ts";
import { MemoryPublisher } from "../../support/memory-publisher.ts";
import { type Message, toMessages } from "../../support/messages.ts";
import { load, newEpoch, publish } from "../../support/pipeline.ts";
import { useTestEngine } from "../../support/use-engine.ts";
import { makeHistory, reload, storeManifest } from "../history/generate.ts";

const engine = useTestEngine();
let messages: readonly Message[];
let live: readonly Message[];
let manifest: Manifest;
beforeAll(async () => {
  const demo = demoConfig({ seed: "mart", days: 1, rate: 20, behaviour: "shop" });
  // A late event of a counted session may come after the history.
  const config = { ...demo, defects: { ...demo.defects, late: 0 } };
  const donors = new DonorPool(catalogueDonors(config.seed));
  const before = new MemoryPublisher();
  const history = await runBackfill(config, donors, before);
  const after = new MemoryPublisher();
  const later = { ...config, tEnd: (config.tEnd ?? 0) + HOUR };
  await runBackfill(later, donors, after, { from: history.state });
  ({ manifest } = history);
  messages = toMessages(before.published);
  live = toMessages(after.published);
});
beforeEach(() => clearAll(engine.db));

const stored = () => engine.db.rows("SELECT * FROM dm.truth ORDER BY position");

const countChanges = async (): Promise<number | undefined> => {
  const [row] = await engine.db.rows<{ count: number }>(
    readQuery("etl/load_dm/has_changed_truth.sql"),
  );
  return row?.count;
};

test("dm.truth has the published effects of the manifest, in its order", async () => {
  await reload(engine.db, messages, manifest);
  const rows = await engine.db.rows<{ truth: number }>(
    "SELECT truth FROM dm.truth ORDER BY position",
  );
  const published = manifest.truth?.effects.map(({ truth }) => truth) ?? [];
  expect(rows.length).toBeGreaterThan(100);
  // A segment without a session has no row.
  expect(published.filter((truth) => rows.some((row) => row.truth === truth))).toEqual(
    rows.map(({ truth }) => truth),
  );
});

test("estimates are the shares that plain SQL counts", async () => {
  await reload(engine.db, messages, manifest);
  const until = manifest.truth?.sessions_until.replace("T", " ").replace("Z", "");
  const first = `FROM dm.session WHERE session_number = 1 AND started_at < '${until}'`;
  const shares = await engine.db.rows(`
    SELECT 'all' AS segment, avg(has_purchase) AS estimate, count() AS sessions ${first}
    UNION ALL
    SELECT device_type AS segment, avg(has_purchase), count() ${first} GROUP BY segment
    ORDER BY segment`);
  const found = await engine.db.rows(`
    SELECT segment, estimate, sessions FROM dm.truth
    WHERE effect IN ('first sessions with a purchase', 'first sessions with a purchase, by device')
      AND NOT has(splitByChar(' ', segment), '−')
    ORDER BY segment`);
  expect(found.length).toBeGreaterThan(2);
  expect(shares).toEqual(expect.arrayContaining(found));
});

test("the report judges a difference by the interval that dm.truth has", async () => {
  await reload(engine.db, messages, manifest);
  const rows = await readComparisons(engine.db);
  const differences = rows.filter((row) => isDifference(row) && row.effect.includes("purchase"));
  expect(differences.length).toBeGreaterThan(1);
  for (const { effect, segment, low, high } of differences) {
    const [more, less] = segment.split(" − ").map((label) => {
      const found = rows.find((row) => row.effect === effect && row.segment === label);
      return found && { label, ...found };
    });
    if (!more || !less) throw new Error(`dm.truth has no rows of ${segment}`);
    const judged = differenceOf(more, less);
    expect(judged.low).toBeCloseTo(low, 10);
    expect(judged.high).toBeCloseTo(high, 10);
  }
});

test("incremental loads give what a full refresh gives, whenever the manifest arrives", async () => {
  const { db } = engine;
  await reload(db, messages, manifest);
  const expected = await stored();
  for (const arrival of [1, 3]) {
    await clearAll(db);
    for (const part of [0, 1, 2, 3]) {
      // Every fourth message, so that each part changes sessions of the earlier ones.
      await publish(
        db,
        messages.filter((_, index) => index % 4 === part),
      );
      if (part === arrival) await storeManifest(db, manifest);
      await load(db, "incremental");
    }
    expect(await stored()).toEqual(expected);
    expect(await countChanges()).toBe(0);
  }
});

test("live events after the history change nothing", async () => {
  const { db } = engine;
  await reload(db, messages, manifest);
  const expected = await stored();
  await publish(db, live);
  await load(db, "incremental");
  expect(await stored()).toEqual(expected);
});

test("dm.truth is empty for a history of plain", async () => {
  const { backfill, manifest: plain } = await makeHistory();
  await reload(engine.db, backfill, plain);
  expect(await stored()).toEqual([]);
});

test("dm.truth is empty after a second source, and in a new epoch", async () => {
  const { db } = engine;
  await reload(db, messages, manifest);
  const mine = { name: "mine", kind: "load", isFinal: true } as const;
  await storeSource(db, await currentEpoch(db), { ...mine, statement: emptyStatement() });
  await load(db, "incremental");
  expect(await stored()).toEqual([]);

  await reload(db, messages, manifest);
  expect(await stored()).not.toEqual([]);
  await newEpoch(db);
  await load(db, "incremental");
  expect(await stored()).toEqual([]);
});
