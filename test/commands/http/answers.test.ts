import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askRaw, startTestServer, type TestServer } from "./support.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await server.ask("CREATE TABLE t (a UInt64, s String) ENGINE = MergeTree ORDER BY a");
});
afterAll(() => server.stop());

const summaryOf = async (
  sql: string | Uint8Array<ArrayBuffer>,
  url: Record<string, string> = {},
): Promise<unknown> => {
  const { status, headers } = await server.ask(sql, { url });
  expect(status).toBe(200);
  const { elapsed_ns, ...counters } = JSON.parse(headers.get("X-ClickHouse-Summary") ?? "");
  expect(Number(elapsed_ns)).toBeGreaterThan(0);
  return counters;
};

describe("X-ClickHouse-Summary", () => {
  it.each([
    "JSON",
    "JSONEachRow",
    "TSVWithNamesAndTypes",
    "CSV",
    "Native",
    "RowBinary",
    "RowBinaryWithNamesAndTypes",
    "Parquet",
    "Pretty",
  ])("counts the rows of a result in %s", async (default_format) => {
    const sql = "SELECT number, toString(number) FROM numbers(1000) WHERE number % 10 = 0 LIMIT 42";
    const url = { default_format };
    const { headers, text } = await server.ask(sql, { url });
    expect(text).not.toBe("");
    const summary = JSON.parse(headers.get("X-ClickHouse-Summary") ?? "");
    expect(summary).toEqual({
      result_rows: "42",
      result_bytes: headers.get("Content-Length"),
      elapsed_ns: expect.any(String),
    });
    const none = await summaryOf("SELECT number FROM numbers(10) WHERE number > 10", url);
    expect(none).toMatchObject({ result_rows: "0" });
    const all = await summaryOf("SELECT number FROM numbers(300000)", {
      ...url,
      wait_end_of_query: "1",
    });
    expect(all).toMatchObject({ result_rows: "300000" });
  });

  it("counts what an INSERT with data reads and writes", async () => {
    const two = { read_rows: "2", written_rows: "2", result_rows: "2" };
    const bytes = { read_bytes: "34", written_bytes: "34", result_bytes: "34" };
    expect(await summaryOf("INSERT INTO t VALUES (1, 'x'), (2, 'y')")).toEqual({
      ...two,
      ...bytes,
    });
    expect(await summaryOf("INSERT INTO t FORMAT TSV\n1\tx\n2\ty\n")).toEqual({ ...two, ...bytes });
  });

  it("omits counts that the engine does not have, instead of zero", async () => {
    expect(await summaryOf("INSERT INTO t SELECT number, 'x' FROM numbers(7)")).toEqual({});
    const query = "INSERT INTO t SELECT a, 'x' FROM input('a UInt64') WHERE a > 1 FORMAT TSV";
    expect(await summaryOf("1\n2\n3\n", { query })).toEqual({});
  });
});

describe("errors", () => {
  const codeOf = async (sql: string): Promise<string> => {
    const { text, headers } = await server.ask(sql);
    const [, code, name] = /^Code: (\d+)\. DB::[\s\S]* \(([A-Z_]+)\) \(version [\d.]+\)\n$/.exec(
      text,
    ) ?? [text];
    expect(headers.get("X-ClickHouse-Exception-Code")).toBe(code);
    return `${code} ${name}`;
  };

  it("of the network keep their code and class", async () => {
    const remote = "SELECT * FROM remote('127.0.0.1:1', system.one)";
    expect(await codeOf(remote)).toBe("519 NO_REMOTE_SHARD_AVAILABLE");
    expect((await server.ask(remote)).text).toMatch(/^Code: 519\. DB::NetException: /);
    const url =
      "SELECT * FROM url('http://127.0.0.1:1', 'CSV', 'a Int8') SETTINGS http_max_tries = 1";
    expect(await codeOf(url)).toBe("1000 POCO_EXCEPTION");
  });

  it("inside errors are named once, by their own code", async () => {
    const insert =
      "INSERT INTO FUNCTION remote('127.0.0.1:1', default, t, 'default', '') VALUES (1, 'x')";
    expect(await codeOf(insert)).toBe("519 NO_REMOTE_SHARD_AVAILABLE");
    expect((await server.ask(insert)).text).toMatch(/^Code: 519\. DB::NetException: All attempts/);
    const quotes = "SELECT throwIf(1, 'Code: 60. DB::Exception: no. (UNKNOWN_TABLE) (version 1)')";
    expect(await codeOf(quotes)).toBe("395 FUNCTION_THROW_IF_VALUE_IS_NON_ZERO");
  });

  it.each([
    ["gzip", gunzipSync],
    ["zstd", zstdDecompressSync],
  ])("are compressed on request: %s", async (encoding, unpack) => {
    const headers = { "Accept-Encoding": encoding };
    const answer = await askRaw(server, "/?enable_http_compression=1", "SELECT nope", headers);
    expect(answer.headers["content-encoding"]).toBe(encoding);
    expect(unpack(answer.body).toString()).toMatch(/^Code: 47\. DB::Exception: /);
  });
});

describe("statements with bytes that are not UTF-8", () => {
  const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
  const hexOf = async (expression: string): Promise<string> =>
    (await askRaw(server, "/", latin1(`SELECT hex(${expression})`))).body.toString();

  it.each([
    ["'\xe9t\xe9'", "E974E9"],
    ["'it''s \\\\ \\' \xff'", "69742773205C202720FF"],
    ["$x$ \\'\xfe$x$", "205C27FE"],
    ["concat('caf\xc3\xa9', '\xff')", "636166C3A9FF"],
    ["'\xff' /* \xfe */", "FF"],
  ])("keep them in %j", async (expression, hex) => {
    expect(await hexOf(expression)).toBe(`${hex}\n`);
  });

  it("keep them in names, in the address and in the values of an INSERT", async () => {
    const named = await askRaw(server, "/", latin1("SELECT 1 AS `\xe9` FORMAT TSVWithNames"));
    expect(named.body).toEqual(latin1("\xe9\n1\n"));
    const inAddress = await askRaw(server, "/?database=&query=SELECT+hex('%E9%2B')");
    expect(inAddress.body.toString()).toBe("E92B\n");
    await askRaw(server, "/", latin1("INSERT INTO t VALUES (100, '\xe9')"));
    await askRaw(server, "/", latin1("INSERT INTO t SELECT 101, '\xe9'"));
    const { text } = await server.ask("SELECT hex(s) FROM t WHERE a IN (100, 101)");
    expect(text).toBe("E9\nE9\n");
  });
});

it("external tables use the settings of their query, also for a reading user", async () => {
  const form = new FormData();
  form.append("ext", new Blob(["1,a\nbroken\n2,b\n"]), "ext.csv");
  const url = new URLSearchParams({
    query: "SELECT sum(id) FROM ext",
    ext_format: "CSV",
    ext_structure: "id UInt8, name String",
    input_format_allow_errors_num: "1",
    readonly: "2",
  });
  const answer = await fetch(`${server.http.url}/?${url}`, { method: "POST", body: form });
  expect(await answer.text()).toBe("3\n");
  const created = await server.ask("CREATE TABLE no (a Int8) ENGINE = Memory", {
    url: { readonly: "2", max_threads: "1" },
  });
  expect(created.headers.get("X-ClickHouse-Exception-Code")).toBe("164");
});
