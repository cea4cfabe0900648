import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Manifest } from "../../contract/manifest.ts";
import { emptyStatement, statementOf } from "../../contract/statement.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { runStep } from "../../warehouse/batch/run-step.ts";
import { proveWithFeed } from "../../warehouse/reconciliation/concurrent-loads.ts";
import {
  type Cut,
  EpochChangedError,
  type SourceFeed,
  type UndeliveredMessages,
} from "../../warehouse/reconciliation/feed.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import {
  type Reconciliation,
  streamVerdict,
} from "../../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../../warehouse/reconciliation/render.ts";
import { currentEpoch } from "../../warehouse/sources/epoch.ts";
import { finishedHistory, type Source } from "../../warehouse/sources/source.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import { clearAll } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { load, newEpoch, publish } from "../support/pipeline.ts";
import { replaceMethods } from "../support/replace-methods.ts";
import { useTestEngine } from "../support/use-engine.ts";

const plan = readPlan();
const TEST = { name: "test", kind: "load", isFinal: true } as const;

const engine = useTestEngine();
let messages: Message[];
let manifest: Manifest;
beforeAll(async () => {
  ({ messages, manifest } = await generateMessages("verdicts", 5));
});
beforeEach(async () => {
  await clearAll(engine.db);
  await publish(engine.db, messages);
  const epoch = await currentEpoch(engine.db);
  await storeSource(engine.db, epoch, finishedHistory("test", manifest));
});

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

const requireNoNegative = (reconciliation: Reconciliation): void => {
  for (const line of reconciliation.defects) {
    const { injected, caught, pending, missed, falseAlarms } = line;
    expect(
      Math.min(caught, pending, missed, falseAlarms),
      JSON.stringify(line),
    ).toBeGreaterThanOrEqual(0);
    expect(caught + pending + missed).toBe(injected);
  }
};

describe("names the layer and the step of incomplete messages", () => {
  test("nothing is typed", async () => {
    const reconciliation = await prove(engine.db);
    expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
    expect(waits(reconciliation)).toEqual(["ods: load_ods"]);
    expect(reconciliation.waiting.reduce((sum, { count }) => sum + count, 0)).toBe(messages.length);
    requireNoNegative(reconciliation);
  });

  test("an empty dds hides defects that only dds shows, and they do not count as missed", async () => {
    await runTo("load_ods");
    const reconciliation = await prove(engine.db);
    expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
    expect(waits(reconciliation)).toEqual(["dds: load_dds"]);
    requireNoNegative(reconciliation);
    expect(reconciliation.defects.every(({ missed }) => missed === 0)).toBe(true);
    const { caught, pending, injected } =
      reconciliation.defects.find(({ kind }) => kind === "missing_location") ?? {};
    expect({ caught, pending }).toEqual({ caught: 0, pending: injected });
    for (const stream of STREAMS) expect(streamVerdict(reconciliation, stream)).toBe("incomplete");
    expect(renderReconciliation(reconciliation)).toMatch(
      /browser messages are not in dds yet, the oldest for .*load_dds is behind/,
    );
  });

  test.each([
    ["load_dm_events", ["load_dm_events"]],
    ["load_dm_sessions", ["load_dm_sessions", "load_dm_visitors"]],
    ["load_dm_visitors", ["load_dm_visitors"]],
    ["load_dm_summary", ["load_dm_summary"]],
  ])("%s is skipped", async (id, waiting) => {
    await runTo("load_dm_summary", [id]);
    const reconciliation = await prove(engine.db);
    expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
    expect(waits(reconciliation)).toEqual(waiting.map((step) => `dm: ${step}`));
  });
});

test("an empty database has nothing to account for, although its epochs are known", async () => {
  await clearAll(engine.db);
  await newEpoch(engine.db);
  await expect(prove(engine.db)).rejects.toThrow(/No data is loaded/);
});

test("rows of a load that was never committed do not count", async () => {
  await load(engine.db, "full");
  await publish(engine.db, messages.slice(0, 10));
  await engine.db.run(
    "INSERT INTO ods.browser_event SELECT * REPLACE (99 AS load_id, _offset + 1000 AS _offset) FROM ods.browser_event LIMIT 3",
  );
  const reconciliation = await prove(engine.db);
  expect(reconciliation.messages.find(({ stream }) => stream === "browser")?.pending).toBe(10);
  expect(waits(reconciliation)).toEqual(["ods: load_ods"]);
});

const feedOf = async (cut: SourceFeed["cut"]): Promise<SourceFeed> => ({
  epoch: await currentEpoch(engine.db),
  cut,
});

describe("with a live source", () => {
  const day = () => Object.keys(manifest.days)[0] ?? "";
  /**
   * A source that has sent some more messages than stg holds, with or without a broker that holds
   * them.
   */
  const feedWith = (
    more: Partial<Record<StreamName, number>>,
    held: Partial<Record<StreamName, number>>,
  ) => {
    const statement = structuredClone(statementOf(manifest));
    for (const stream of STREAMS) {
      statement.counts[stream] += more[stream] ?? 0;
      const counts = statement.days[day()] ?? emptyStatement().counts;
      counts[stream] += more[stream] ?? 0;
    }
    const undelivered = STREAMS.map(
      (stream): UndeliveredMessages => ({
        epoch: 0,
        stream,
        days: new Map(held[stream] ? [[day(), held[stream]]] : []),
        oldestSeconds: 45,
        step: "stg.queue (not attached)",
        hint: "run `make topics`",
      }),
    );
    const sources = [{ ...TEST, statement }];
    return async (): Promise<Cut> => {
      const epoch = await currentEpoch(engine.db);
      return {
        ...{ before: sources, after: sources, ends: new Map() },
        undelivered: async () => undelivered.map((line) => ({ ...line, epoch })),
      };
    };
  };

  beforeEach(() => load(engine.db, "full"));

  test("messages that its reader has not stored are incomplete, and shown as sent", async () => {
    const reconciliation = await prove(engine.db, await feedOf(feedWith({ geo: 4 }, { geo: 4 })));
    expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0, inFlight: 0 });
    expect(reconciliation.waiting).toMatchObject([
      { layer: "stg", stream: "geo", count: 4, oldestSeconds: 45 },
    ]);
    const geo = reconciliation.messages.find(({ stream }) => stream === "geo");
    expect((geo?.generated ?? 0) - (geo?.raw ?? 0)).toBe(4);
    expect(streamVerdict(reconciliation, "browser")).toBe("accounted");
    expect(renderReconciliation(reconciliation)).toMatch(
      /4 geo messages are not in stg yet.*stg\.queue \(not attached\).*make topics/,
    );
  });

  test("a stuck stream hides no loss in another, nor in its own", async () => {
    const other = await prove(
      engine.db,
      await feedOf(feedWith({ geo: 4, browser: 2 }, { geo: 4 })),
    );
    expect(other).toMatchObject({ verdict: "unaccounted", unaccounted: 2 });
    const own = await prove(engine.db, await feedOf(feedWith({ geo: 4 }, { geo: 3 })));
    expect(own).toMatchObject({ verdict: "unaccounted", unaccounted: 1 });
  });

  test("only messages that were sent while the topic ends were read are in flight", async () => {
    const { before } = await feedWith({}, {})();
    const cut = await feedWith({ geo: 3 }, {})();
    expect(await prove(engine.db, await feedOf(async () => ({ ...cut, before })))).toMatchObject({
      verdict: "accounted",
      inFlight: 3,
      unaccounted: 0,
    });
  });
});

describe("a source of the current epoch that the broker lacks", () => {
  const feedFrom = (sources: readonly Source[]) =>
    feedOf(async () => ({
      ...{ before: sources, after: sources, ends: new Map() },
      undelivered: async () => [],
    }));
  beforeEach(() => load(engine.db, "full"));

  test("still counts by its stored statement", async () => {
    expect((await prove(engine.db, await feedFrom([]))).verdict).toBe("accounted");
    await engine.db.run("DELETE FROM stg.raw WHERE _topic = 'geo_events' AND _offset < 3");
    const reconciliation = await prove(engine.db, await feedFrom([]));
    const missing = reconciliation.messages.map(({ generated, raw }) => (generated ?? 0) - raw);
    expect(missing.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(reconciliation.verdict).toBe("unaccounted");
    expect(renderReconciliation(reconciliation)).toMatch(/broker has lost the record of "test"/);
  });

  test("with its state missing as well counts as stored, and no message is a surplus", async () => {
    const lost = { ...TEST, statement: emptyStatement(), isFinal: false };
    const feed = await feedFrom([{ ...lost, lacksState: true }]);
    expect((await prove(engine.db, feed)).verdict).toBe("accounted");
    await engine.db.run("DELETE FROM stg.raw WHERE _topic = 'geo_events' AND _offset < 3");
    expect((await prove(engine.db, feed)).verdict).toBe("unaccounted");
    await engine.db.run("TRUNCATE TABLE stg.manifest");
    expect(
      (await prove(engine.db, feed)).messages.every(({ generated }) => generated !== null),
    ).toBe(true);
  });
});

describe("topics that are re-created while the reconciliation reads them", () => {
  beforeEach(() => load(engine.db, "full"));
  const cutWithout = async (): Promise<Cut> => ({
    ...{ before: [], after: [], ends: new Map() },
    undelivered: async () => [],
  });

  test("the sources of the earlier epoch do not bound the current one: all is read again", async () => {
    const statement = structuredClone(statementOf(manifest));
    statement.counts.browser += 98;
    const sources = [{ ...TEST, statement }];
    const stale = await feedOf(async () => ({
      ...(await cutWithout()),
      ...{ before: sources, after: sources },
    }));
    await newEpoch(engine.db);
    await publish(engine.db, messages);
    await load(engine.db, "incremental");
    await expect(prove(engine.db, stale)).rejects.toThrow(EpochChangedError);
    const retries: boolean[] = [];
    const reconciliation = await proveWithFeed(engine.db, async (isRetry) => {
      retries.push(isRetry);
      return isRetry ? feedOf(cutWithout) : stale;
    });
    expect(retries).toEqual([false, true]);
    expect(reconciliation).toMatchObject({ unaccounted: 0, verdict: "accounted" });
  });

  test("a reset after the cut is detected", async () => {
    const feed = await feedOf(async () => {
      await newEpoch(engine.db);
      return cutWithout();
    });
    await expect(prove(engine.db, feed)).rejects.toThrow(EpochChangedError);
  });
});

test("a server without a feed reports that it asked no broker; a workspace has none", async () => {
  await load(engine.db, "full");
  const { db } = engine;
  const { directory, ...server } = replaceMethods(db, {});
  expect(directory).toBe(engine.directory);
  expect(renderReconciliation(await prove(server))).toMatch(/Not compared with a broker/);
  expect((await prove(db)).notes).toEqual([]);
});
