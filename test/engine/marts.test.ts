import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { requireMarts } from "../../superset/import/init.ts";
import { failedTests, runDataTests } from "../../warehouse/data-tests.ts";
import { clearAll, keepAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  generateMessages,
  type Message,
  uuid,
} from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();

test("a load fills the marts, whose page events are counted", async () => {
  const { db } = engine;
  expect(await requireMarts(db)).toBe(0);
  await publish(db, [browserMessage({}), deviceMessage({})]);
  await load(db, "full");
  expect(await requireMarts(db)).toBe(1);
});

const failuresOf = async (db: Database) =>
  Object.fromEntries(
    failedTests(await runDataTests(db)).map(({ name, failures }) => [name, failures]),
  );

describe("data tests", () => {
  let messages: Message[];
  let restore: () => Promise<void>;
  beforeAll(async () => {
    ({ messages } = await generateMessages("data-tests", 3));
    await clearAll(engine.db);
    await publish(engine.db, messages);
    await load(engine.db, "full");
    restore = await keepAll(engine.db);
  });
  beforeEach(() => restore());

  test("pass on data with defects, of full refreshes and of an incremental load", async () => {
    expect(await failuresOf(engine.db)).toEqual({});
    await publish(engine.db, messages);
    await load(engine.db, "incremental");
    expect(await failuresOf(engine.db)).toEqual({});
    await load(engine.db, "full");
    expect(await failuresOf(engine.db)).toEqual({});
  });

  /** First row of a table in the order of a column. */
  const first = (table: string, column: string): string =>
    `(SELECT ${column} FROM ${table} ORDER BY ${column} LIMIT 1)`;
  const inFirst = (table: string, column: string): string => `${column} IN ${first(table, column)}`;

  test.each([
    [
      "a session twice",
      `INSERT INTO dm.session SELECT * FROM dm.session WHERE ${inFirst("dm.session", "click_id")}`,
      { "unique dm.session.click_id": 2 },
    ],
    [
      "a session without a day",
      `ALTER TABLE dm.session UPDATE session_date = toDate(0) WHERE ${inFirst("dm.session", "click_id")}`,
      { "not_null dm.session.session_date": 1 },
    ],
    [
      "a foreign value",
      `ALTER TABLE dm.session UPDATE channel = 'telex' WHERE ${inFirst("dm.session", "click_id")}`,
      { "accepted_values dm.session.channel": 1 },
    ],
    [
      "a foreign element of an array",
      `ALTER TABLE dds.event UPDATE markers = ['late_event', 'blurred'] WHERE ${inFirst("dds.event", "event_id")}`,
      { "accepted_values dds.event.markers": 1 },
    ],
    [
      "a page event of no session",
      `INSERT INTO dm.event_enriched SELECT * REPLACE (toUUID('${uuid(999)}') AS event_id, toUUID('${uuid(999)}') AS click_id)
       FROM (SELECT * FROM dm.event_enriched LIMIT 1)`,
      {
        "relationships dm.event_enriched.event_id to dds.event.event_id": 1,
        "relationships dm.event_enriched.click_id to dm.session.click_id": 1,
      },
    ],
  ])("count %s", async (_, sql, failures) => {
    await engine.db.run(sql.startsWith("ALTER") ? `${sql} SETTINGS mutations_sync = 2` : sql);
    expect(await failuresOf(engine.db)).toEqual(failures);
  });

  test("show failing rows", async () => {
    await engine.db.run("INSERT INTO dm.session SELECT * FROM dm.session");
    const [failed] = failedTests(await runDataTests(engine.db, 4));
    expect(failed).toMatchObject({ name: "unique dm.session.click_id", kind: "unique" });
    expect(failed?.sample).toHaveLength(4);
    const [one, two, three] = (failed?.sample ?? []).map(({ click_id }) => click_id);
    expect([one, three]).toEqual([two, expect.not.stringContaining(String(one))]);
    expect(failed?.sample?.[0]).toMatchObject({ channel: expect.any(String) });
  });
});
