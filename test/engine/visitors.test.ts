import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { transform } from "../../warehouse/batch/transform.ts";
import { proveDeep } from "../../warehouse/ledger/deep.ts";
import { clearAll, openTestEngine, type TestEngine } from "../support/engine.ts";
import { browserMessage, deviceMessage, type Message, uuid } from "../support/messages.ts";
import { derivedDigests, load, newEpoch, publish } from "../support/pipeline.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());
beforeEach(() => clearAll(engine.db));

/** A page event at an hour of 2026-01-01. */
function page(number: number, hour: number, click = number): Message {
  const event_timestamp = `2026-01-01 ${String(hour).padStart(2, "0")}:00:00.000000`;
  const ids = { event_id: uuid(number), click_id: uuid(100 + click), event_timestamp };
  return browserMessage(ids, Date.UTC(2026, 0, 1, hour) * 1000);
}

const of = (click: number, visitor: string): Message =>
  deviceMessage({ click_id: uuid(100 + click), user_custom_id: visitor });

const session = (number: number, hour: number, visitor: string): Message[] => [
  page(number, hour),
  of(number, visitor),
];

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

const OLD = [...session(1, 10, "old"), ...session(2, 12, "old"), ...session(3, 12, "other")];

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

  test("after a load that stopped between any two statements of dm", async () => {
    const files: string[] = [];
    const prepare = async () => {
      await clearAll(engine.db);
      await loadEach(OLD);
      await newEpoch(engine.db);
      await publish(engine.db, [of(1, "other"), ...session(4, 11, "other")]);
    };
    await prepare();
    await transform(engine.db, {
      ...{ fullRefresh: false, waitSeconds: 1 },
      onStatement: (file) => void files.push(file),
    });
    const expected = await derivedDigests(engine.db);
    expect(await numbers()).toEqual(numbered({ 1: 1, 2: 1, 3: 3, 4: 2 }));
    const first = files.indexOf("load_dm/sessions_reset.sql");
    for (let stop = first; stop < files.length; stop++) {
      await prepare();
      await expect(stopBefore(stop)).rejects.toThrow("stopped");
      await load(engine.db, "incremental");
      expect(await derivedDigests(engine.db), files[stop]).toEqual(expected);
    }
  });
});

function stopBefore(statement: number): Promise<unknown> {
  let run = 0;
  return transform(engine.db, {
    ...{ fullRefresh: false, waitSeconds: 1 },
    onStatement: () => {
      if (run === statement) throw new Error("stopped");
      run += 1;
    },
  });
}
