import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { addBatch, emptyStatement } from "../../contract/statement.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { beginErasure, eraseAgain } from "../../warehouse/keep/erase.ts";
import { readRejected, readSelect, type TriedRepairs } from "../../warehouse/keep/rejected.ts";
import { openStg, replay } from "../../warehouse/keep/replay.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import { clearAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  type Message,
  rawMessage,
  toBatch,
  uuid,
} from "../support/messages.ts";
import { load, loadStep, newEpoch, publish } from "../support/pipeline.ts";
import { replaceMethods } from "../support/replace-methods.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { folderOfTest } from "../support/use-folder.ts";

const engine = useTestEngine();

const WHOLE = [browserMessage({}), locationMessage({}), deviceMessage({}), geoMessage({})];

/** A message without its last character, with the key and the time of emission of its sender. */
const cut = (message: Message): Message => ({
  ...message,
  key: `key of ${message.stream}`,
  value: message.value.slice(0, -1),
  emittedAt: 1_767_261_600_000_001,
});

const HOPELESS = rawMessage("geo", "no JSON");
const CLOSE = "SELECT *, concat(raw, '}') AS repaired FROM ods.v_rejected";

beforeEach(rejectAll);

/** Rejects messages of a source that says what it sent. */
async function rejectAll(): Promise<void> {
  await clearAll(engine.db);
  const epoch = await newEpoch(engine.db);
  const messages = [...WHOLE.map(cut), HOPELESS];
  await publish(engine.db, messages);
  const statement = emptyStatement();
  addBatch(statement, toBatch(messages));
  await storeSource(engine.db, epoch, { name: "test", kind: "load", statement, isFinal: true });
  await loadStep(engine.db, "load_ods");
}

const send = (open: (held: Database) => ReturnType<typeof openStg> = openStg) =>
  replay(engine.db, CLOSE, { open, report: () => undefined });

const sendOf = (select: string) =>
  replay(engine.db, select, { open: openStg, report: () => undefined });

async function trial(select: string): Promise<readonly TriedRepairs[]> {
  let tried: readonly TriedRepairs[] = [];
  await replay(engine.db, select, { report: (lines) => (tried = lines) });
  return tried;
}

const stored = () =>
  engine.db.rows<{ topic: string; key: string; raw: string; emitted: number; repairs: string }>(
    `SELECT _topic AS topic, _key AS key, raw, toUnixTimestamp64Micro(emitted_at) AS emitted, repairs
     FROM stg.raw FINAL WHERE repairs != '' ORDER BY indexOf(['browser_events', 'location_events', 'device_events', 'geo_events'], topic)`,
  );

/** Expects each repaired message once, typed, and the rejected ones as they were. */
async function expectRepaired(): Promise<void> {
  const found = await stored();
  const expected = WHOLE.map(cut).map(({ stream, key, value, emittedAt }) => ({
    ...{ topic: streams[stream].topic, key, raw: `${value}}`, emitted: emittedAt },
    repairs: expect.stringMatching(/^\d+\/0\/0$/),
  }));
  expect(found).toEqual(expected);
  await load(engine.db, "incremental");
  for (const stream of STREAMS) {
    const [row] = await engine.db.rows(`SELECT count() AS typed FROM ods.${streams[stream].table}`);
    expect(row).toEqual({ typed: 1 });
  }
  expect(await readRejected(engine.db, 0)).toMatchObject([
    { stream: "geo", reason: "malformed_json", messages: 2, repaired: 1 },
    ...["browser", "device", "location"].map((stream) => ({ stream, messages: 1, repaired: 1 })),
  ]);
  const reconciliation = await prove(engine.db);
  expect(reconciliation).toMatchObject({ verdict: "accounted", unaccounted: 0 });
  expect(reconciliation.notes).toContainEqual(
    expect.stringContaining("4 rejected messages repaired"),
  );
}

test("a trial counts by outcome and changes nothing", async () => {
  expect(await trial(CLOSE)).toMatchObject([
    ...["browser", "location", "device", "geo"].map((stream) => ({
      stream,
      reason: "",
      messages: 1,
    })),
    { stream: "geo", reason: "malformed_json", messages: 1 },
  ]);
  expect(await stored()).toEqual([]);
});

test("repaired messages are sent once, with their keys and times", async () => {
  expect(await send()).toBe(4);
  await expectRepaired();
  expect(await send()).toBe(0);
  expect(await stored()).toHaveLength(4);
});

test("a message that comes twice from a SELECT is sent once", async () => {
  expect(await sendOf(`${CLOSE} UNION ALL ${CLOSE}`)).toBe(4);
});

test("a SELECT runs once, so what it chooses is what is sent", async () => {
  const one = `${CLOSE} WHERE NOT is_repaired AND stream != 'geo' ORDER BY _topic LIMIT 1`;
  expect(await trial(one)).toMatchObject([{ stream: "browser", messages: 1, reason: "" }]);
  expect(await sendOf(one)).toBe(1);
});

test("a message without a new payload is left alone, and one with two is refused", async () => {
  const some =
    "SELECT *, if(stream = 'geo', NULL, concat(raw, '}')) AS repaired FROM ods.v_rejected";
  expect((await trial(some)).map(({ stream }) => stream)).toEqual([
    "browser",
    "location",
    "device",
  ]);
  await expect(
    trial(`${CLOSE} UNION ALL SELECT *, '{}' AS repaired FROM ods.v_rejected`),
  ).rejects.toThrow("several payloads for each of 5 messages");
});

test("a later repair of an earlier message is loaded, too", async () => {
  const of = (stream: string) => `${CLOSE} WHERE stream = '${stream}'`;
  const others = [{ ...cut(geoMessage({})), value: "{" }];
  await publish(engine.db, others);
  await load(engine.db, "incremental");
  const last =
    "SELECT *, '{\"click_id\":\"00000000-0000-4000-8000-000000000100\"}' AS repaired FROM ods.v_rejected WHERE raw = '{'";
  expect(await sendOf(last)).toBe(1);
  await load(engine.db, "incremental");
  expect(await sendOf(of("geo"))).toBe(1);
  await load(engine.db, "incremental");
  const { waiting } = await prove(engine.db);
  expect(waiting).toEqual([]);
  const [row] = await engine.db.rows("SELECT count() AS typed FROM ods.geo_event");
  expect(row).toEqual({ typed: 2 });
});

test("an erased visitor's repaired messages are erased as they were rejected, too", async () => {
  // Nothing in it names the visitor or a session.
  await publish(engine.db, [{ ...cut(geoMessage({})), value: "{ of nobody" }]);
  await loadStep(engine.db, "load_ods");
  await send();
  const whole = `SELECT *, '{"click_id":"${uuid(100)}"}' AS repaired FROM ods.v_rejected WHERE raw = '{ of nobody'`;
  expect(await sendOf(whole)).toBe(1);
  await load(engine.db, "incremental");
  await beginErasure(engine.db, ["u1"], "request 7");
  await eraseAgain(engine.db);
  const [left] = await engine.db.rows(
    `SELECT (SELECT count() FROM stg.raw WHERE raw = '{ of nobody') AS stg,
       (SELECT count() FROM merge('ods', '_event_errors$') WHERE raw = '{ of nobody') AS ods`,
  );
  expect(left).toEqual({ stg: 0, ods: 0 });
});

test("a replay that is killed anywhere is completed by the next one", async () => {
  const isOfLease = (sql: string) => sql.includes("stg.lease");
  let statements = 0;
  /** Fails at a statement and at those after it. */
  const failingFrom = (held: Database, number: number): Database => {
    const count = (sql: string) => {
      if (!isOfLease(sql)) statements += 1;
      if (statements >= number) throw new Error("killed");
    };
    return replaceMethods(held, {
      rows: async (...query) => {
        count(query[0]);
        return held.rows(...query);
      },
      run: async (...statement) => {
        count(statement[0]);
        await held.run(...statement);
      },
      insertTsv: async (...insert) => {
        count(insert[0]);
        await held.insertTsv(...insert);
      },
    });
  };
  for (let number = 1; ; number += 1) {
    statements = 0;
    const sent = await send((held) => openStg(failingFrom(held, number))).catch((error) => {
      expect(String(error)).toContain("killed");
      return "killed";
    });
    expect((await prove(engine.db)).unaccounted, `statement ${number}`).toBe(0);
    await send();
    expect((await stored()).map(({ raw }) => raw)).toEqual(WHOLE.map(({ value }) => value));
    expect((await prove(engine.db)).unaccounted).toBe(0);
    if (sent !== "killed") break;
    await engine.db.run("TRUNCATE TABLE stg.repair");
    await engine.db.run(
      "ALTER TABLE stg.raw DELETE WHERE repairs != '' SETTINGS mutations_sync = 1",
    );
    await clearAll(engine.db);
    await newEpoch(engine.db);
    await publish(engine.db, [...WHOLE.map(cut), HOPELESS]);
    await load(engine.db, "incremental");
  }
  expect(statements).toBeGreaterThan(5);
  await expectRepaired();
});

test("rows that an engine did not give to the view are found again", async () => {
  await send();
  await engine.db.run("TRUNCATE TABLE stg.repair");
  expect(await send()).toBe(0);
  await expectRepaired();
});

test("what is no SELECT of rejected messages is refused", async () => {
  await expect(trial("SELECT 1 AS raw")).rejects.toMatchObject({
    message: expect.stringContaining("The database refused the SELECT"),
    hint: expect.stringContaining("FROM ods.v_rejected"),
  });
  const directory = folderOfTest("rejected");
  const file = join(directory, "two.sql");
  writeFileSync(file, "SELECT 1;\nSELECT 2;\n");
  expect(() => readSelect(file)).toThrow("has 2 statements. Allowed: one SELECT");
  expect(() => readSelect(join(directory, "none.sql"))).toThrow("none.sql cannot be read");
});
