import { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sleeping, startTestServer, type TestServer, waitFor } from "./support.ts";

let server: TestServer;
const clients: ClickHouseClient[] = [];

beforeAll(async () => {
  server = await startTestServer({ password: "secret" });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await server.stop();
});

function client(options: Parameters<typeof createClient>[0] = {}): ClickHouseClient {
  const made = createClient({
    url: server.http.url,
    password: "secret",
    // Silences log lines of expected errors.
    log: { level: ClickHouseLogLevel.OFF },
    ...options,
  });
  clients.push(made);
  return made;
}

const json = async (asked: ClickHouseClient, query: string, more = {}): Promise<unknown> =>
  (await asked.query({ query, format: "JSONEachRow", ...more })).json();

/**
 * Query whose result fails at row 900,000. One thread makes the bytes before the failure
 * reproducible: the client reports the error only if its 16 KiB block holds the whole message.
 */
const BREAKS =
  "SELECT number, throwIf(number = 900000, 'late') FROM numbers(1000000) " +
  "SETTINGS max_block_size = 10000, max_threads = 1";

describe.each([false, true])("@clickhouse/client, compression %s", (compress) => {
  const options = { compression: { request: compress, response: compress } };

  it("pings", async () => {
    expect(await client(options).ping()).toEqual({ success: true });
    expect(await client(options).ping({ select: true })).toEqual({ success: true });
  });

  it("queries with bound values in several formats", async () => {
    const asked = client(options);
    const query =
      "SELECT {a:UInt32} AS a, {s:String} AS s, {l:Array(String)} AS l, {n:Nullable(Int8)} AS n";
    const query_params = { a: 5, s: "it's\t\n\\ ö", l: ["x", "y'z"], n: null };
    expect(await json(asked, query, { query_params })).toEqual([query_params]);
    const whole = await asked.query({ query, query_params, format: "JSON" });
    expect(await whole.json()).toMatchObject({ rows: 1, data: [query_params] });
    const compact = await asked.query({ query: "SELECT 1, 'x'", format: "JSONCompact" });
    expect(await compact.json()).toMatchObject({ data: [[1, "x"]] });
  });

  it("makes tables, inserts arrays and streams, and reads streams", async () => {
    const asked = client(options);
    await asked.command({
      query: "CREATE OR REPLACE TABLE t (a UInt32, s String) ENGINE = MergeTree ORDER BY a",
      clickhouse_settings: { wait_end_of_query: 1 },
    });
    const values = [
      { a: 1, s: "x" },
      { a: 2, s: 'é\n"' },
    ];
    const { summary } = await asked.insert({ table: "t", values, format: "JSONEachRow" });
    expect(summary).toMatchObject({ written_rows: "2" });
    const rows = function* () {
      for (let a = 0; a < 50_000; a += 1) yield { a, s: "row" };
    };
    await asked.insert({ table: "t", values: Readable.from(rows()), format: "JSONEachRow" });
    const result = await asked.query({
      query: "SELECT a FROM t ORDER BY a",
      format: "JSONEachRow",
    });
    let seen = 0;
    for await (const part of result.stream()) seen += part.length;
    expect(seen).toBe(50_002);
    expect(await json(asked, "SELECT s FROM t WHERE a = 2 AND s != 'row'")).toEqual([
      { s: 'é\n"' },
    ]);
  });

  it("names errors before and after the first rows", async () => {
    const asked = client(options);
    await expect(json(asked, "SELECT * FROM nope")).rejects.toMatchObject({
      code: "60",
      type: "UNKNOWN_TABLE",
      message: expect.stringContaining("'nope'"),
    });
    await expect(
      asked.insert({ table: "nope", values: [{ a: 1 }], format: "JSONEachRow" }),
    ).rejects.toMatchObject({ code: "60" });
    const result = await asked.query({ query: BREAKS, format: "JSONEachRow" });
    const read = async (): Promise<void> => {
      for await (const _ of result.stream());
    };
    await expect(read()).rejects.toMatchObject({ code: "395", message: /^late/ });
  });
});

it("keeps a session's tables, database and settings, but not those of single requests", async () => {
  const asked = client({ session_id: "kept" });
  await asked.command({ query: "CREATE TEMPORARY TABLE tmp (a Int8)" });
  await asked.insert({ table: "tmp", values: [{ a: 1 }], format: "JSONEachRow" });
  await asked.command({ query: "SET max_threads = 3" });
  await asked.command({ query: "CREATE DATABASE IF NOT EXISTS other" });
  await asked.command({ query: "USE other" });
  const settings =
    "SELECT count() c, currentDatabase() d, getSetting('max_threads') t, getSetting('max_block_size') b FROM tmp";
  const one = { clickhouse_settings: { max_block_size: "100", max_threads: "1" } };
  const own = [{ c: 1, d: "other", t: 3, b: 65409 }];
  expect(await json(asked, settings)).toEqual(own);
  expect(await json(asked, settings, one)).toEqual([{ c: 1, d: "other", t: 1, b: 100 }]);
  expect(await json(asked, settings)).toEqual(own);
  await expect(
    json(asked, "SELECT throwIf(number = 3) FROM numbers(9) SETTINGS max_block_size = 1"),
  ).rejects.toThrow();
  expect(await json(asked, settings)).toEqual(own);
  await expect(json(client(), "SELECT * FROM tmp")).rejects.toMatchObject({ code: "60" });
});

it("stops a query that its client has aborted", async () => {
  const asked = client();
  const abort = new AbortController();
  const running = async (): Promise<unknown> =>
    json(asked, "SELECT count() AS n FROM system.processes WHERE query LIKE 'SELECT sleep%'");
  const long = json(asked, sleeping(30), { abort_signal: abort.signal });
  await waitFor(async () => JSON.stringify(await running()) === '[{"n":1}]');
  abort.abort();
  await expect(long).rejects.toThrow("abort");
  await waitFor(async () => JSON.stringify(await running()) === '[{"n":0}]');
});

it("is refused with a wrong password or user, in either form", async () => {
  const denied = { code: "516", type: "AUTHENTICATION_FAILED" };
  await expect(json(client({ password: "wrong" }), "SELECT 1")).rejects.toMatchObject(denied);
  await expect(json(client({ username: "bob" }), "SELECT 1")).rejects.toMatchObject(denied);
  const basic = (text: string) => ({
    Authorization: `Basic ${Buffer.from(text).toString("base64")}`,
  });
  const own = (user: string, key: string) => ({
    "X-ClickHouse-User": user,
    "X-ClickHouse-Key": key,
  });
  const cases: [Record<string, string>, Record<string, string>, number][] = [
    [basic("default:secret"), {}, 200],
    [own("default", "secret"), {}, 200],
    [{}, { user: "default", password: "secret" }, 200],
    [{}, { password: "secret" }, 200],
    [{}, {}, 403],
    [basic("default:wrong"), {}, 403],
    [basic("default"), {}, 403],
    [{ Authorization: "Basic" }, {}, 403],
    [{ Authorization: "Basic \u00ff%%%" }, {}, 403],
    [{ Authorization: "Bearer secret" }, {}, 403],
    [own("", "secret"), {}, 403],
    [{ ...basic("default:secret"), ...own("default", "secret") }, {}, 403],
    [basic("default:secret"), { password: "secret" }, 403],
    [own("default", "secret"), { password: "secret" }, 403],
  ];
  for (const [headers, url, status] of cases) {
    const answer = await server.ask("SELECT 1", { headers, url });
    expect([headers, url, answer.status]).toEqual([headers, url, status]);
  }
});
