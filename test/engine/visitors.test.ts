import { beforeEach, describe, expect, test } from "vitest";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { clearAll } from "../support/engine.ts";
import { type Message, uuid } from "../support/messages.ts";
import { derivedDigests, load, loadStep, newEpoch, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { OLD, of, page, session } from "../support/visitors.ts";

const engine = useTestEngine();
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

describe("the sessions of a visitor are numbered by time", () => {
  test("if a session arrives after later ones", async () => {
    await loadEach(OLD, session(4, 11, "old"));
    expect(await numbers()).toEqual(numbered({ 1: 1, 2: 3, 3: 1, 4: 2 }));
    await expectSameFromScratch();
  });

  test("if an earlier event of a session arrives later", async () => {
    await loadEach(OLD, [page(4, 9, 2)]);
    expect(await numbers()).toEqual(numbered({ 1: 2, 2: 1, 3: 1 }));
    await expectSameFromScratch();
  });

  test("if the visitor of a session becomes known later", async () => {
    await loadEach([...OLD, page(4, 9)], [of(4, "old")]);
    expect(await numbers()).toEqual(numbered({ 1: 2, 2: 3, 3: 1, 4: 1 }));
    await expectSameFromScratch();
  });

  test("if a newer epoch gives a session to another visitor", async () => {
    await loadEach(OLD);
    await newEpoch(engine.db);
    await loadEach([of(1, "other")]);
    expect(await numbers()).toEqual(numbered({ 1: 1, 2: 1, 3: 2 }));
    await expectSameFromScratch();
  });

  test("if a newer epoch takes the only event of a session", async () => {
    await loadEach(OLD);
    await newEpoch(engine.db);
    await loadEach([page(1, 10, 3)]);
    expect(await numbers()).toEqual(numbered({ 2: 1, 3: 1 }));
    await expectSameFromScratch();
  });
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
    await loadEach(OLD, session(4, 9, "old"), [page(5, 15, 2)], session(6, 18, "new"));
    const newer = { user_custom_id: "new", sessions: 1, first_hour: 18, last_hour: 18 };
    expect(await visitors()).toEqual([newer, old(3, 9, 15), other]);
    await expectSameFromScratch();
  });

  test("who loses a session to another visitor has it no more, and one without a session disappears", async () => {
    await loadEach(OLD);
    await newEpoch(engine.db);
    await loadEach([of(3, "old")], [of(2, "old")]);
    expect(await visitors()).toEqual([old(3, 10, 12)]);
    await expectSameFromScratch();
  });

  test("is computed again after a rebuild of the sessions alone", async () => {
    await loadEach(OLD);
    await engine.db.run(
      "ALTER TABLE dm_internal.load_commit UPDATE definition = 'other' WHERE target = 'session'",
    );
    await loadEach(session(4, 9, "old"));
    expect(await visitors()).toEqual([old(3, 9, 12), other]);
    await expectSameFromScratch();
  });
});

test("visitors wait for the sessions of a load", async () => {
  await loadEach(OLD);
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
