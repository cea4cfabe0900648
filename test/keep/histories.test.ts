import { rmSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { beginErasure, finishErasures } from "../../warehouse/keep/erase.ts";
import { openStg, replay } from "../../warehouse/keep/replay.ts";
import { requireRestorable, restoreSnapshot } from "../../warehouse/keep/restore.ts";
import { setKept } from "../../warehouse/keep/retain.ts";
import { takeSnapshot } from "../../warehouse/keep/snapshot.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { age } from "../support/age.ts";
import { clearAll } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { digestsOf, load, loadStep, newEpoch, publish } from "../support/pipeline.ts";
import { beforeStatements, isOfLease } from "../support/replace-methods.ts";
import { IS_EXHAUSTIVE } from "../support/sample.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { useFolder } from "../support/use-folder.ts";

const state = useFolder("histories");
// The engine reads it when it starts.
vi.stubEnv("EVENT_PIPELINE_STATE", state);
const engine = useTestEngine();
let messages: readonly Message[];
let visitors: readonly string[];
const erased = new Set<string>();
const snapshots: string[] = [];
beforeAll(async () => {
  ({ messages } = await generateMessages("histories", 8));
  visitors = messages.flatMap(({ value }) => /"user_custom_id": ?"([^"]+)"/.exec(value)?.[1] ?? []);
});

async function begin(): Promise<void> {
  await clearAll(engine.db);
  rmSync(`${state}/snapshots`, { recursive: true, force: true });
  erased.clear();
  snapshots.length = 0;
  await newEpoch(engine.db);
  await publish(engine.db, messages.slice(0, 20));
}

/** A step of a history; a counterexample lists their names. */
const act = <T>(name: string, given: fc.Arbitrary<T>, run: (given: T) => Promise<unknown>) =>
  given.map((value) => ({
    run: () => run(value),
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(value)}`,
  }));

const MODE = fc.constantFrom("incremental" as const, "incremental" as const, "full" as const);
const STEPS = ["load_ods", "load_dds", "load_dm_events", "load_dm_sessions", "load_dm_summary"];
const KEPT = [
  { ods: 2, dm: 0 },
  { ods: 2, dm: 6 },
  { ods: 0, dm: 0 },
];
const NOTHING = fc.constant("");
/** Number of the statement at which a run is killed; shorter runs end. */
const KILLED_AT = fc.integer({ min: 1, max: 90 });

const ACTS = [
  act(
    "publish",
    fc.record({ from: fc.nat(), count: fc.integer({ min: 1, max: 400 }), again: fc.boolean() }),
    async ({ from, count, again }) => {
      if (again) await newEpoch(engine.db);
      const first = from % messages.length;
      await publish(engine.db, [...messages, ...messages].slice(first, first + count));
    },
  ),
  act("load", MODE, (mode) => load(engine.db, mode)),
  act("step", fc.constantFrom(...STEPS), (id) =>
    loadStep(engine.db, id).catch(({ message }: Error) =>
      expect(message).toMatch("The step changed no table"),
    ),
  ),
  act("killed load", fc.tuple(MODE, KILLED_AT), ([mode, at]) =>
    untilKilled(load(deadFrom(at), mode)),
  ),
  act("erase", fc.tuple(fc.nat(), KILLED_AT), async ([visitor, at]) => {
    const id = visitors[visitor % visitors.length] ?? "";
    for (const one of [id, ...(await sessionsAndEventsOf(id))]) erased.add(one);
    await beginErasure(engine.db, [id], "request");
    await untilKilled(finishErasures(deadFrom(at)));
  }),
  // Never the 30 days that stg keeps a message.
  act("days pass", fc.constantFrom(1, 2), (days) => age(engine.db, days)),
  act("keep", fc.constantFrom(...KEPT), (kept) => setKept(engine.db, kept)),
  act("repair", NOTHING, async () => {
    await load(engine.db, "incremental");
    const select = "SELECT *, concat(raw, '}') AS repaired FROM ods.v_rejected";
    await replay(engine.db, select, { open: openStg, report: () => undefined });
  }),
  act("take a snapshot", NOTHING, async () => {
    snapshots.push(`taken-${snapshots.length}`);
    await takeSnapshot(engine.db, { name: snapshots.at(-1), keep: 100 });
  }),
  act("restore", fc.nat(), async (number) => {
    const name = snapshots[number % snapshots.length];
    if (name) await restoreSnapshot(engine.db, await requireRestorable(engine.db, name));
  }),
];

class Killed extends Error {}

/** Returns a view of the database whose holder dies at its statement with a number, so that no later one runs. */
const deadFrom = (number: number): Database => {
  let count = 0;
  return beforeStatements(engine.db, async (sql) => {
    if (!isOfLease(sql)) count += 1;
    if (count >= number) throw new Killed();
  });
};

const untilKilled = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error) => {
    if (!(error instanceof Killed)) throw error;
  });

/** @throws unless every message is accounted for, and every table equals its SELECT and a full refresh */
async function requireSound(): Promise<void> {
  const { db } = engine;
  await load(db, "incremental");
  const { unaccounted, layers } = await prove(db);
  expect([unaccounted, layers.filter(({ expected, found }) => expected !== found)]).toEqual([
    0,
    [],
  ]);
  const deep = await proveDeep(db);
  expect([deep.rows, deep.layers]).toEqual([[], []]);
  const digests = await digestsOf(db);
  await load(db, "full");
  expect(await digestsOf(db)).toEqual(digests);
}

async function sessionsAndEventsOf(visitor: string): Promise<string[]> {
  const found = await engine.db.rows<{ id: string }>(
    `WITH session AS (SELECT click_id FROM ods.device_event WHERE user_custom_id = {visitor:String})
     SELECT toString(click_id) AS id FROM session
     UNION ALL SELECT toString(event_id) FROM ods.browser_event WHERE click_id IN session`,
    { visitor },
  );
  return found.map(({ id }) => id);
}

const IDS = {
  "stg.raw": "arrayJoin(extractAll(concat(raw, ' ', _key), '[a-zA-Z0-9-]+'))",
  "ods.browser_event": "click_id",
  "ods.location_event": "event_id",
  "ods.device_event": "click_id",
  "ods.geo_event": "click_id",
  "dds.event": "event_id",
  "dds.click": "click_id",
  "dm.event_enriched": "click_id",
  "dm.session": "click_id",
  "dm.visitor": "user_custom_id",
};

async function requireErased(): Promise<void> {
  for (const [table, id] of Object.entries(IDS)) {
    const found = await engine.db.rows(
      `SELECT DISTINCT toString(${id}) AS id FROM ${table} WHERE has({ids:Array(String)}, id)`,
      { ids: [...erased] },
    );
    expect(found, table).toEqual([]);
  }
}

test("after any history every number is that of a full refresh, and no erased visitor is left", async () => {
  const history = fc.array(fc.oneof(...ACTS), { minLength: 4, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(history, async (acts) => {
      await begin();
      for (const { run } of acts) await run();
      await requireSound();
      await requireErased();
    }),
    { numRuns: IS_EXHAUSTIVE ? 300 : 6, seed: 20_261_129, endOnFailure: !IS_EXHAUSTIVE },
  );
});
