import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { clearAll, keepAll } from "../support/engine.ts";
import { type Message, uuid } from "../support/messages.ts";
import { derivedDigests, load, loadStep, newEpoch, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { OLD, of, oldOf, page, session } from "../support/visitors.ts";

const engine = useTestEngine();
/** Brings back the load of `OLD`. */
let restoreOld: () => Promise<void>;
beforeAll(async () => {
  await loadEach(OLD);
  restoreOld = await keepAll(engine.db);
});
beforeEach(() => clearAll(engine.db));

const numbers = () =>
  engine.db.rows<{ click_id: string; session_number: number }>(
    "SELECT click_id, session_number FROM dm.session ORDER BY click_id",
  );

const numbered = (clicks: Readonly<Record<number, number>>) =>
  Object.entries(clicks).map(([click, session_number]) => ({
    click_id: uuid(100 + Number(click)),
    session_number,
  }));

async function expectSameFromScratch(): Promise<void> {
  const { lines } = await proveDeep(engine.db);
  expect(lines.filter(({ isEqual }) => !isEqual)).toEqual([]);
  const incremental = await derivedDigests(engine.db);
  await load(engine.db, "full");
  expect(await derivedDigests(engine.db)).toEqual(incremental);
}

async function loadEach(...loads: readonly Message[][]): Promise<void> {
  for (const messages of loads) {
    await publish(engine.db, messages);
    await load(engine.db, "incremental");
  }
}

interface Change {
  /** Sessions of the visitors old and other, as in `OLD`, and more before the change. */
  readonly before: readonly Message[];
  readonly change: readonly Message[];
  /** Numbers by session. */
  readonly numbers: Readonly<Record<number, number>>;
}

describe("the sessions of a visitor are numbered by time", () => {
  /** Makes changes at once, each to visitors of its own, and compares their numbers. */
  async function expectNumbers(changes: readonly Change[], between = async () => {}) {
    const of = (part: "before" | "change") => changes.flatMap((one) => [...one[part]]);
    await loadEach(of("before"));
    await between();
    await loadEach(of("change"));
    const expected = changes.map(({ numbers }) => numbers);
    expect(await numbers()).toEqual(numbered(Object.assign({}, ...expected)));
    await expectSameFromScratch();
  }

  test("if a session arrives later, or an earlier event of one, or its visitor becomes known", () =>
    expectNumbers([
      {
        before: OLD,
        change: session(4, 11, "old"),
        numbers: { 1: 1, 2: 3, 3: 1, 4: 2 },
      },
      {
        before: oldOf(10),
        change: [page(14, 9, 12)],
        numbers: { 11: 2, 12: 1, 13: 1 },
      },
      {
        before: [...oldOf(20), page(24, 9)],
        change: [of(24, "old 20")],
        numbers: { 21: 2, 22: 3, 23: 1, 24: 1 },
      },
    ]));

  test("if a newer epoch gives a session to another visitor, or takes its only event", () =>
    expectNumbers(
      [
        { before: OLD, change: [of(1, "other")], numbers: { 1: 1, 2: 1, 3: 2 } },
        { before: oldOf(10), change: [page(11, 10, 13)], numbers: { 12: 1, 13: 1 } },
      ],
      () => newEpoch(engine.db).then(() => undefined),
    ));
});

describe("a visitor", () => {
  const visitors = () =>
    engine.db.rows(
      "SELECT user_custom_id, sessions, toHour(first_seen) AS first_hour, toHour(last_seen) AS last_hour FROM dm.visitor ORDER BY user_custom_id",
    );
  const old = (sessions: number, first_hour: number, last_hour: number) => ({
    ...{ user_custom_id: "old", sessions, first_hour, last_hour },
  });
  const other = { user_custom_id: "other", sessions: 1, first_hour: 12, last_hour: 12 };

  test("has the sessions of every load", async () => {
    await restoreOld();
    await loadEach(session(4, 9, "old"), [page(5, 15, 2)], session(6, 18, "new"));
    const newer = { user_custom_id: "new", sessions: 1, first_hour: 18, last_hour: 18 };
    expect(await visitors()).toEqual([newer, old(3, 9, 15), other]);
    await expectSameFromScratch();
  });

  test("who loses a session to another visitor has it no more, and one without a session disappears", async () => {
    await restoreOld();
    await newEpoch(engine.db);
    await loadEach([of(3, "old")], [of(2, "old")]);
    expect(await visitors()).toEqual([old(3, 10, 12)]);
    await expectSameFromScratch();
  });

  test("is computed again after a rebuild of the sessions alone", async () => {
    await restoreOld();
    await engine.db.run(
      "ALTER TABLE dm_internal.load_commit UPDATE definition = 'other' WHERE target = 'session'",
    );
    await loadEach(session(4, 9, "old"));
    expect(await visitors()).toEqual([old(3, 9, 12), other]);
    await expectSameFromScratch();
  });
});

test("visitors wait for the sessions of a load", async () => {
  await restoreOld();
  await publish(engine.db, session(4, 9, "new"));
  const step = (id: string) => loadStep(engine.db, id);
  for (const id of ["load_ods", "load_dds", "check_dds_integrity", "load_dm_visitors"])
    await step(id);
  const known = () =>
    engine.db.rows("SELECT user_custom_id FROM dm.visitor WHERE user_custom_id = 'new'");
  expect(await known()).toEqual([]);
  for (const id of ["load_dm_sessions", "load_dm_visitors"]) await step(id);
  expect(await known()).toHaveLength(1);
});
