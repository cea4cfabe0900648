import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Manifest } from "../../contract/manifest.ts";
import { statementOf } from "../../contract/statement.ts";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { runStep } from "../../warehouse/batch/run-step.ts";
import { proveWithFeed } from "../../warehouse/reconciliation/concurrent-loads.ts";
import {
  type Cut,
  EpochChangedError,
  type SourceFeed,
} from "../../warehouse/reconciliation/feed.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import type { Reconciliation } from "../../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../../warehouse/reconciliation/render.ts";
import { currentEpoch } from "../../warehouse/sources/epoch.ts";
import { finishedHistory } from "../../warehouse/sources/source.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import { clearAll, keepAll } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { load, newEpoch, publish } from "../support/pipeline.ts";
import { replaceMethods } from "../support/replace-methods.ts";
import { useTestEngine } from "../support/use-engine.ts";

const plan = readPlan();
const TEST = { name: "test", kind: "load", isFinal: true } as const;

const engine = useTestEngine();
let messages: Message[];
let manifest: Manifest;
/** Brings back the messages with their load. */
let restoreLoaded: () => Promise<void>;
beforeAll(async () => {
  ({ messages, manifest } = await generateMessages("verdicts", 5));
  await publishAll();
  await load(engine.db, "full");
  restoreLoaded = await keepAll(engine.db);
});

async function publishAll(): Promise<void> {
  await clearAll(engine.db);
  await publish(engine.db, messages);
  const epoch = await currentEpoch(engine.db);
  await storeSource(engine.db, epoch, finishedHistory("test", manifest));
}

/** Steps of the plan up to and including this one, without the skipped ones. */
async function runTo(last: string, leftOut: readonly string[] = []): Promise<void> {
  const end = plan.steps.findIndex(({ id }) => id === last) + 1;
  for (const step of plan.steps.slice(0, end)) {
    if (leftOut.includes(step.id)) continue;
    await runStep(engine.db, plan, step, { fullRefresh: false, waitSeconds: 1 });
  }
}

const waits = ({ waiting }: Reconciliation) => [
  ...new Set(waiting.map(({ layer, step }) => `${layer}: ${step}`)),
];

test("names the layer and the steps of incomplete messages: one that was left out, and what reads it", async () => {
  await publishAll();
  await runTo("load_dm_summary", ["load_dm_sessions"]);
  const reconciliation = await prove(engine.db);
  expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
  expect(waits(reconciliation)).toEqual(["dm: load_dm_sessions", "dm: load_dm_visitors"]);
});

test("an empty database has nothing to account for, although its epochs are known", async () => {
  await clearAll(engine.db);
  await newEpoch(engine.db);
  await expect(prove(engine.db)).rejects.toThrow(/No data is loaded/);
});

test("rows of a load that was never committed do not count", async () => {
  await restoreLoaded();
  await publish(engine.db, messages.slice(0, 10));
  await engine.db.run(
    "INSERT INTO ods.browser_event SELECT * REPLACE (99 AS load_id, _offset + 1000 AS _offset) FROM ods.browser_event LIMIT 3",
  );
  const reconciliation = await prove(engine.db);
  expect(reconciliation.messages.find(({ stream }) => stream === "browser")?.pending).toBe(10);
  expect(waits(reconciliation)).toEqual(["ods: load_ods"]);
});

const WITHOUT_SOURCES: Cut = {
  ...{ before: [], after: [], ends: new Map() },
  undelivered: async () => [],
};

const feedOf = async (cut: SourceFeed["cut"]): Promise<SourceFeed> => ({
  epoch: await currentEpoch(engine.db),
  cut,
});

test("a source of the current epoch that the broker lacks still counts by its stored statement", async () => {
  await restoreLoaded();
  const withoutSources = await feedOf(async () => WITHOUT_SOURCES);
  expect((await prove(engine.db, withoutSources)).verdict).toBe("accounted");
  await engine.db.run("DELETE FROM stg.raw WHERE _topic = 'geo_events' AND _offset < 3");
  const reconciliation = await prove(engine.db, withoutSources);
  const missing = reconciliation.messages.map(({ generated, raw }) => (generated ?? 0) - raw);
  expect(missing.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(reconciliation.verdict).toBe("unaccounted");
  expect(renderReconciliation(reconciliation)).toMatch(/broker has lost the record of "test"/);
});

describe("topics that are re-created while the reconciliation reads them", () => {
  beforeEach(() => restoreLoaded());

  test("the sources of the earlier epoch do not bound the current one: all is read again", async () => {
    const statement = structuredClone(statementOf(manifest));
    statement.counts.browser += 98;
    const sources = [{ ...TEST, statement }];
    const stale = await feedOf(async () => ({
      ...WITHOUT_SOURCES,
      ...{ before: sources, after: sources },
    }));
    await newEpoch(engine.db);
    await publish(engine.db, messages);
    await load(engine.db, "incremental");
    await expect(prove(engine.db, stale)).rejects.toThrow(EpochChangedError);
    const retries: boolean[] = [];
    const reconciliation = await proveWithFeed(engine.db, async (isRetry) => {
      retries.push(isRetry);
      return isRetry ? feedOf(async () => WITHOUT_SOURCES) : stale;
    });
    expect(retries).toEqual([false, true]);
    expect(reconciliation).toMatchObject({ unaccounted: 0, verdict: "accounted" });
  });

  test("a reset after the cut is detected", async () => {
    const feed = await feedOf(async () => {
      await newEpoch(engine.db);
      return WITHOUT_SOURCES;
    });
    await expect(prove(engine.db, feed)).rejects.toThrow(EpochChangedError);
  });
});

test("a server without a feed reports that it asked no broker; a workspace has none", async () => {
  await restoreLoaded();
  const { db } = engine;
  const { directory, ...server } = replaceMethods(db, {});
  expect(directory).toBe(engine.directory);
  expect(renderReconciliation(await prove(server))).toMatch(/Not compared with a broker/);
  expect((await prove(db)).notes).toEqual([]);
});
