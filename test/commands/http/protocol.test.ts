import { readdirSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askRaw, startTestServer, type TestServer } from "./support.ts";

let server: TestServer;
const ask: TestServer["ask"] = (...parameters) => server.ask(...parameters);

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Status and number of an error, and its text without the list of expected tokens. */
const failure = ({ status, text, headers }: Awaited<ReturnType<typeof ask>>) => {
  expect(text).toMatch(/^Code: \d+\. DB::Exception: [\s\S]+ \([A-Z_0-9]+\) \(version [\d.]+\)\n$/);
  expect(text).toContain(`Code: ${headers.get("X-ClickHouse-Exception-Code")}.`);
  return [status, Number(headers.get("X-ClickHouse-Exception-Code"))];
};

function spoolFiles(): string[] {
  const spool = readdirSync(server.directory).filter((name) => name !== "data");
  expect(spool).toHaveLength(1);
  return readdirSync(join(server.directory, spool[0] ?? ""));
}

describe("addresses", () => {
  it.each(["/", "/ping", "/replicas_status"])("%s reports a healthy server", async (path) => {
    const answer = await fetch(server.http.url + path);
    expect([answer.status, await answer.text()]).toEqual([200, "Ok.\n"]);
  });

  it("have no others", async () => {
    const answer = await fetch(`${server.http.url}/pingg?x=1`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toMatch(/^There is no handle \/pingg\?x=1\n\nUse \/ or \/ping/);
    expect((await fetch(`${server.http.url}//evil.example/`)).status).toBe(404);
  });

  it("refuse other methods", async () => {
    const answer = await fetch(server.http.url, { method: "DELETE" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
    expect((await fetch(server.http.url, { method: "OPTIONS" })).status).toBe(204);
  });
});

it("without a password is no server of a client that has one", async () => {
  const status = async (headers: Record<string, string>) =>
    (await ask("SELECT 1", { headers })).status;
  expect(await status({ "X-ClickHouse-User": "default" })).toBe(200);
  expect(await status({ "X-ClickHouse-User": "default", "X-ClickHouse-Key": "stack" })).toBe(403);
  expect(await status({ "X-ClickHouse-User": "bi", "X-ClickHouse-Key": "stack" })).toBe(403);
});

describe("statements", () => {
  it("come by body, by URL, or in two parts", async () => {
    expect((await ask("SELECT 1")).text).toBe("1\n");
    expect((await ask("", { url: { query: "SELECT 2" }, method: "GET" })).text).toBe("2\n");
    expect((await ask("3", { url: { query: "SELECT" } })).text).toBe("3\n");
  });

  it("answer with ClickHouse's headers", async () => {
    const { headers } = await ask("SELECT 1 FORMAT JSONEachRow", { url: { query_id: "my-id" } });
    expect(headers.get("X-ClickHouse-Query-Id")).toBe("my-id");
    expect(headers.get("X-ClickHouse-Format")).toBe("JSONEachRow");
    expect(headers.get("Content-Type")).toBe("application/x-ndjson; charset=UTF-8");
    expect(headers.get("X-ClickHouse-Timezone")).toMatch(/^[A-Z]/);
    expect(headers.get("X-ClickHouse-Server-Display-Name")).not.toBe("");
    const summary = JSON.parse(headers.get("X-ClickHouse-Summary") ?? "");
    expect(summary).toMatchObject({ result_rows: "1", result_bytes: "8" });
    expect(Number(summary.elapsed_ns)).toBeGreaterThan(1000);
  });

  it("use database, format, settings and bindings of the request only", async () => {
    await ask("CREATE DATABASE IF NOT EXISTS `odd``name`");
    const url = { database: "odd`name", default_format: "CSV", max_threads: "3", param_x: "a\\tb" };
    const sql = "SELECT currentDatabase(), getSetting('max_threads'), {x:String}";
    expect((await ask(sql, { url })).text).toBe('"odd`name",3,"a\tb"\n');
    expect((await ask("SELECT currentDatabase()")).text).toBe("default\n");
    const headers = { "X-ClickHouse-Database": "system", "X-ClickHouse-Format": "TSVWithNames" };
    expect((await ask("SELECT currentDatabase() d", { headers })).text).toBe("d\nsystem\n");
    expect(failure(await ask("SELECT {x:String}"))).toEqual([500, 456]);
  });

  it("bind hostile values as values", async () => {
    const hostile = "'; DROP TABLE x; -- \\\\ \\'";
    const { text } = await ask("SELECT {v:String} AS v FORMAT JSONEachRow", {
      url: { param_v: hostile.replaceAll("\\", "\\\\") },
    });
    expect(JSON.parse(text)).toEqual({ v: hostile });
  });

  it.each([
    ["SELECT * FROM nope", {}, 404, 60],
    ["selec 1", {}, 400, 62],
    ["SELECT 1; SELECT 2", {}, 400, 62],
    ["SELECT 1", { database: "nope" }, 404, 81],
    ["SELECT 1", { no_such_setting: "1" }, 404, 115],
    ["SELECT 1", { max_threads: "many" }, 400, 27],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", {}, 500, 358],
    ["SELECT throwIf(1)", {}, 500, 395],
    [
      "SELECT sleepEachRow(0.1) FROM numbers(9) SETTINGS max_block_size = 1",
      { max_execution_time: "0.2" },
      408,
      159,
    ],
  ])("fail as in ClickHouse: %j %j", async (sql, url, status, code) => {
    expect(failure(await ask(sql, { url: url as Record<string, string> }))).toEqual([status, code]);
  });

  it("report each error once, without paths of this machine", async () => {
    await ask("CREATE TABLE IF NOT EXISTS bad (a UInt8) ENGINE = Memory");
    const { text } = await ask("INSERT INTO bad FORMAT CSV\nx\n");
    expect(text.match(/Code: /g)).toHaveLength(1);
    expect(text).not.toContain(server.directory);
    expect(text).not.toContain("/tmp/");
  });

  it("change nothing by GET", async () => {
    const get = async (query: string, url = {}) =>
      failure(await ask("", { url: { query, ...url }, method: "GET" }));
    expect(await get("CREATE TABLE g (a Int8) ENGINE = Memory")).toEqual([500, 164]);
    expect(await get("INSERT INTO bad VALUES (1)")).toEqual([500, 164]);
    expect(await get("SELECT 1", { readonly: "0" })).toEqual([500, 164]);
    expect(await get("CREATE TABLE g (a Int8) ENGINE = Memory", { session_id: "g" })).toEqual([
      500, 164,
    ]);
    expect(await get("KILL QUERY WHERE 1")).toEqual([500, 164]);
    const { text } = await ask("", { url: { query: "SELECT 1", max_threads: "1" }, method: "GET" });
    expect(text).toBe("1\n");
  });
});

describe("rows of an INSERT", () => {
  const count = async () => (await ask("SELECT count(), sum(a) FROM rows")).text.trim();
  const rows = "1\tone\n2\ttwo\n";
  const head = "INSERT INTO rows FORMAT TSV";

  beforeAll(async () => {
    await ask("CREATE TABLE rows (a UInt32, s String) ENGINE = MergeTree ORDER BY a");
  });

  it("come in the body, in every usual encoding", async () => {
    const encode: Record<string, (text: string) => Buffer> = {
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
    };
    for (const [name, compress] of Object.entries(encode)) {
      await ask("TRUNCATE TABLE rows");
      const headers = { "Content-Encoding": name };
      await ask(new Uint8Array(compress(rows)), { url: { query: head }, headers });
      const { headers: h } = await ask(new Uint8Array(compress(`${head}\n${rows}`)), { headers });
      expect(JSON.parse(h.get("X-ClickHouse-Summary") ?? "")).toMatchObject({ written_rows: "2" });
      expect(await count()).toBe("4\t6");
    }
  });

  it("come as binary, as values, through input(), or not at all", async () => {
    await ask("TRUNCATE TABLE rows");
    const binary = Buffer.concat([
      Buffer.from("INSERT INTO rows FORMAT RowBinary\n"),
      Buffer.from([7, 0, 0, 0, 3, 0xff, 0x00, 0x0a]),
    ]);
    await ask(new Uint8Array(binary));
    await ask("INSERT INTO rows (a) SETTINGS max_insert_threads = 1 VALUES (1), (1 + 1);");
    await ask("10\n", {
      url: { query: "INSERT INTO rows SELECT a * 2, 'x' FROM input('a UInt32') FORMAT TSV" },
    });
    expect((await ask("", { url: { query: head } })).status).toBe(200);
    expect((await ask("SELECT a, hex(s) FROM rows ORDER BY a")).text).toBe(
      "1\t\n2\t\n7\tFF000A\n20\t78\n",
    );
  });

  it("leave no files behind, not even broken ones", async () => {
    const broken = gzipSync(rows.repeat(1000)).subarray(0, 60);
    const headers = { "Content-Encoding": "gzip" };
    const url = { query: head };
    expect(failure(await ask(new Uint8Array(broken), { url, headers }))).toEqual([500, 354]);
    expect(failure(await ask("no gzip", { url, headers }))).toEqual([500, 354]);
    expect(failure(await ask("x", { headers: { "Content-Encoding": "xz" } }))).toEqual([501, 48]);
    expect(failure(await ask("x", { headers: { "Content-Encoding": "lz4" } }))).toEqual([500, 618]);
    expect(spoolFiles()).toEqual([]);
  });
});

describe("external tables", () => {
  it("come as files of a form, with the statement in the URL or the form", async () => {
    const form = new FormData();
    form.append("ext", new Blob(["1,a\n2,b\n"]), "ext.csv");
    form.append("query", "SELECT sum(id), any({p:String}) FROM ext");
    form.append("param_p", "bound");
    const url = new URLSearchParams({ ext_format: "CSV", ext_structure: "id UInt8, name String" });
    for (let time = 0; time < 2; time += 1) {
      url.set("session_id", "forms");
      const answer = await fetch(`${server.http.url}/?${url}`, { method: "POST", body: form });
      expect(await answer.text()).toBe("3\tbound\n");
    }
  });
});

describe("results", () => {
  it.each(["JSONEachRow", "CSVWithNames", "Native"])(
    "of many blocks equal those in one piece: %s",
    async (format) => {
      const sql = "SELECT number, toString(number) AS `a\nb` FROM numbers(200000)";
      const whole = server.engine.connect();
      const expected = (await whole.queryAsync(sql, { format })).bytes();
      whole.close();
      const url = new URLSearchParams({ default_format: format, query: sql });
      const answer = await fetch(`${server.http.url}/?${url}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const same = (text: string): string => text.replace(/"elapsed": [\d.]+/, "");
      expect(
        same(bytes.toString("latin1")) === same(Buffer.from(expected).toString("latin1")),
      ).toBe(true);
    },
  );

  it.each(["gzip"])("are compressed on request: %s", async (encoding) => {
    const url = { enable_http_compression: "1" };
    const headers = { "Accept-Encoding": encoding };
    const answer = await ask("SELECT number FROM numbers(100000)", { url, headers });
    expect(answer.headers.get("Content-Encoding")).toBe(encoding);
    expect(answer.text).toHaveLength(588_890);
    const plain = await ask("SELECT 1", { headers });
    expect(plain.headers.get("Content-Encoding")).toBeNull();
  });

  it("wait for the end on request, so that a late error keeps its status", async () => {
    const sql =
      "SELECT number, throwIf(number = 900000) FROM numbers(1000000) SETTINGS max_block_size = 10000";
    const url = { default_format: "JSONEachRow" };
    const late = await ask(sql, { url: { ...url, wait_end_of_query: "1" } });
    expect(failure(late)).toEqual([500, 395]);
    await expect(ask(sql, { url })).rejects.toThrow();
    const all = await ask("SELECT number FROM numbers(1000000)", {
      url: { wait_end_of_query: "1" },
    });
    expect(all.text).toHaveLength(6_888_890);
  });

  it("that break off have ClickHouse's error block after the rows", async () => {
    const sql = "SELECT number, throwIf(number = 900000, 'late') FROM numbers(1000000) FORMAT CSV";
    const { body, headers, complete } = await askRaw(server, "/?max_block_size=10000", sql);
    const tag = headers["x-clickhouse-exception-tag"];
    expect(complete).toBe(false);
    const [, message = "", length] =
      new RegExp(`\r\n__exception__\r\n${tag}\r\n(.*\n)(\\d+) ${tag}\r\n__exception__\r\n$`).exec(
        body.toString(),
      ) ?? [];
    expect(message).toMatch(/^Code: 395\. DB::Exception: late/);
    expect(Buffer.byteLength(message)).toBe(Number(length));
  });
});
