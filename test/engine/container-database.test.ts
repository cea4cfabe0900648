import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ContainerDatabase,
  DATABASE_SECRETS,
  startContainerDatabase,
  writeContainerFiles,
} from "../support/container-database.ts";
import { addSchema } from "../support/engine.ts";
import { usedMetrics } from "../support/metric-names.ts";
import { nativeLogin } from "../support/native-login.ts";
import { useFolder } from "../support/use-folder.ts";

const directory = useFolder("container-database");
let database: ContainerDatabase;
beforeAll(async () => {
  mkdirSync(join(directory, "data"));
  await addSchema(join(directory, "data"));
  database = await startContainerDatabase({ directory });
});
afterAll(async () => {
  await database?.stop();
});

const PASSWORDS = {
  default: DATABASE_SECRETS.clickhousePassword,
  bi: DATABASE_SECRETS.clickhouseBiPassword,
  monitor: DATABASE_SECRETS.clickhouseMonitorPassword,
};
type User = keyof typeof PASSWORDS;
const run = (user: User, sql: string) => database.as(user, PASSWORDS[user]).run(sql);

describe("the users of the stack", () => {
  test.each(Object.entries(PASSWORDS))("%s logs in over HTTP and natively", async (user, right) => {
    expect(await database.as(user, right).rows("SELECT currentUser() AS user")).toEqual([{ user }]);
    expect(await nativeLogin(database.tcp, user, right)).toBe("greets");
    for (const wrong of ["", "wrong"]) {
      await expect(database.as(user, wrong).rows("SELECT 1")).rejects.toThrow(
        /refuses the user|Authentication failed/,
      );
      expect(await nativeLogin(database.tcp, user, wrong)).toBe("refuses");
    }
  });

  test("an unknown user is refused", async () => {
    expect(await nativeLogin(database.tcp, "stranger", "")).toBe("refuses");
  });

  test.each<[User, string]>([
    ["bi", "SELECT * FROM dm.v_funnel FORMAT Null"],
    ["monitor", "SELECT * FROM dm_internal.v_pipeline_metrics FORMAT Null"],
    ["monitor", "SELECT * FROM stg.epoch FORMAT Null"],
    ["monitor", "SELECT * FROM system.processes FORMAT Null"],
    ["default", "SELECT * FROM stg.epoch FORMAT Null"],
  ])("%s may %s", (user, sql) => run(user, sql));

  test.each<[User, string]>([
    ["bi", "SELECT * FROM dds.event"],
    ["bi", "INSERT INTO dm.session SELECT * FROM dm.session"],
    ["bi", "DROP TABLE dm.session"],
    ["bi", "CREATE TEMPORARY TABLE other (n UInt8)"],
    ["bi", "SELECT * FROM file('/etc/passwd', LineAsString)"],
    ["bi", "SELECT * FROM url('http://127.0.0.1:1', LineAsString)"],
    ["bi", "SET readonly = 0"],
    ["bi", "SELECT 1 FORMAT Template SETTINGS format_template_row = '/etc/passwd'"],
    ["bi", "SELECT 1 FORMAT Template SETTINGS format_template_resultset = '/etc/passwd'"],
    ["bi", "SELECT 1 FORMAT Protobuf SETTINGS format_schema = '/etc/passwd:m'"],
    ["monitor", "INSERT INTO stg.epoch SELECT * FROM stg.epoch"],
    ["monitor", "SYSTEM STOP LISTEN HTTP"],
    ["monitor", "SELECT * FROM file('/etc/passwd', LineAsString)"],
  ])("%s may not %s", async (user, sql) => {
    await expect(run(user, sql)).rejects.toThrow(
      /Not enough privileges|readonly mode|should not be changed/,
    );
  });

  test("have the limits of their profile", async () => {
    const sql = "SELECT name, value FROM system.settings WHERE name = 'max_execution_time'";
    expect(await database.as("monitor", PASSWORDS.monitor).rows(sql)).toEqual([
      { name: "max_execution_time", value: "120" },
    ]);
  });
});

test("the settings of the stack apply", async () => {
  expect(await database.as().rows("SELECT serverTimezone() AS zone")).toEqual([{ zone: "UTC" }]);
});

test("system.query_log names the user of a failed statement", async () => {
  await expect(run("bi", "SELECT 'to be found' FROM dds.event")).rejects.toThrow();
  const db = database.as();
  await db.run("SYSTEM FLUSH LOGS");
  const sql = `SELECT user FROM system.query_log
    WHERE query LIKE '%to be found%' AND type = 'ExceptionBeforeStart' AND user != 'default'`;
  expect(await db.rows(sql)).toEqual([{ user: "bi" }]);
  const [log] = await db.rows<{ engine: string }>(
    "SELECT engine_full AS engine FROM system.tables WHERE name = 'query_log'",
  );
  expect(log?.engine).toContain("TTL event_date + toIntervalDay(3)");
});

describe("metrics", () => {
  const scrape = async (): Promise<Map<string, number>> => {
    const answer = await fetch(`http://127.0.0.1:${database.metrics}/metrics`);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=UTF-8");
    const lines = (await answer.text()).split("\n").filter((line) => /^[A-Z]/.test(line));
    return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
  };

  test("have every name of dashboards and alerts from the start", async () => {
    const used = [...usedMetrics().keys()].filter((name) => name.startsWith("ClickHouse"));
    const values = await scrape();
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !Number.isFinite(values.get(name)))).toEqual([]);
  });

  test("count events", async () => {
    const before = await scrape();
    await run("default", "CREATE TABLE default.m (a Int8) ENGINE = MergeTree ORDER BY a");
    await run("default", "INSERT INTO default.m VALUES (1), (2), (3)");
    await expect(run("default", "SELECT * FROM default.nope")).rejects.toThrow();
    const after = await scrape();
    const growth = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(growth("ClickHouseProfileEvents_FailedQuery")).toBe(1);
    expect(growth("ClickHouseErrorMetric_UNKNOWN_TABLE")).toBeGreaterThan(0);
    expect(growth("ClickHouseProfileEvents_InsertedRows")).toBeGreaterThanOrEqual(3);
    expect(growth("ClickHouseAsyncMetrics_TotalRowsOfMergeTreeTables")).toBeGreaterThanOrEqual(3);
  });

  test("need no login on a port that serves nothing else", async () => {
    const url = `http://127.0.0.1:${database.metrics}`;
    expect((await fetch(`${url}/?query=SELECT+1`)).status).toBe(404);
  });
});

describe("changed files apply without a restart", () => {
  test("a new password replaces the old one", async () => {
    writeContainerFiles({ directory, secrets: { clickhouseBiPassword: "another" } });
    const asked = (password: string) => database.as("bi", password).rows("SELECT 1 AS n");
    expect(await asked("another")).toEqual([{ n: 1 }]);
    await expect(asked(PASSWORDS.bi)).rejects.toThrow("refuses the user or password");
  });

  test("a torn file changes nothing", async () => {
    writeFileSync(join(directory, "users.d/users.yaml"), "users: {");
    expect(await database.as().rows("SELECT 1 AS n")).toEqual([{ n: 1 }]);
    writeContainerFiles({ directory });
    expect(await database.as("bi", PASSWORDS.bi).rows("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });
});

test.each(["SIGTERM", "SIGKILL"] as const)("keeps its rows after %s", async (signal) => {
  const table = `default.kept_${signal}`;
  await run("default", `CREATE TABLE ${table} ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n`);
  await database.stop(signal);
  expect([database.child.exitCode, database.child.signalCode]).toEqual(
    signal === "SIGTERM" ? [0, null] : [null, signal],
  );
  database = await startContainerDatabase({ directory });
  expect(await database.as().rows(`SELECT n FROM ${table}`)).toEqual([{ n: 1 }]);
});

test("has its logs again after a restart", async () => {
  const logs = "SELECT name FROM system.tables WHERE database = 'system' AND name = 'query_log'";
  const written = async () => {
    await database.as().run("SYSTEM FLUSH LOGS");
    return database.as().rows(logs);
  };
  expect(await written()).toEqual([{ name: "query_log" }]);
  await database.stop();
  database = await startContainerDatabase({ directory });
  expect(await written()).toEqual([{ name: "query_log" }]);
});
