import { existsSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "./support.ts";

let server: TestServer;
let target: string;
const ask: TestServer["ask"] = (...parameters) => server.ask(...parameters);
const get = (query: string, url: Record<string, string> = {}, headers = {}) =>
  ask("", { url: { ...url, query }, headers, method: "GET" });

beforeAll(async () => {
  server = await startTestServer({ metricsPort: 0 });
  target = join(server.directory, "written");
  await ask("CREATE TABLE kept (a UInt8) ENGINE = Memory");
  await ask("CREATE FUNCTION is_one AS (x) -> (1 IN x)");
});
afterAll(() => server.stop());

/** `fetch` cannot set some headers that a browser sets, so this uses a plain request. */
const statusOf = (port: number, path: string, headers: Record<string, string>, method = "GET") =>
  new Promise<number | undefined>((resolve, reject) => {
    const length = method === "POST" ? { "Content-Length": "0" } : {};
    const options = { port, path, method, host: "127.0.0.1", headers: { ...headers, ...length } };
    request(options, (answer) => resolve(answer.resume().statusCode))
      .on("error", reject)
      .end();
  });

describe("GET", () => {
  const own = () => `url('${server.http.url}/?query=SELECT+1', CSV, 'a String')`;

  it.each(["additional_table_filters", "additional_result_filter"])(
    "refuses %s, whose SQL may read a file",
    async (name) => {
      const filters = "{'kept': '7 IN (SELECT * FROM file(\\'/etc/hostname\\', LineAsString))'}";
      const value = name === "additional_table_filters" ? filters : "'1'";
      const ways = [
        get("SELECT * FROM kept", { [name]: value }),
        get(`SELECT * FROM kept SETTINGS ${name} = ${value}`),
        get(`SELECT * FROM kept SETTINGS \`${name}\` = ${value}`),
        get(`SET ${name} = ${value}`, { session_id: "filters" }),
      ];
      for (const { text } of await Promise.all(ways)) {
        expect(text).toContain(name);
        expect(text).toContain("READONLY");
      }
      const named = await get(`SELECT count() FROM system.settings WHERE name = '${name}'`);
      expect(named.status).toBe(200);
    },
  );

  it.each<[string, () => string]>([
    ["INSERT", () => "INSERT INTO kept SELECT 1"],
    ["file()", () => `INSERT INTO FUNCTION file('${target}', CSV, 'a String') SELECT 'x'`],
    ["several statements", () => "SELECT 1; INSERT INTO kept SELECT 1"],
    ["DDL", () => "CREATE TABLE other (a UInt8) ENGINE = Memory"],
    ["DROP", () => "DROP TABLE kept"],
    ["KILL", () => "KILL QUERY WHERE 1"],
    ["this server", () => `SELECT * FROM ${own()}`],
    ["remote()", () => "SELECT * FROM remote('127.0.0.1', system.one)"],
    ["SET and DROP", () => "SET max_threads = 1 PARALLEL WITH DROP TABLE kept"],
  ])("refuses %s, also in a session", async (_, sql) => {
    for (const url of [{}, { session_id: "reader" }]) {
      const answer = await get(sql(), url);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).toMatch(/Code: (164|62)\./);
    }
    expect((await ask("SELECT count() FROM kept")).text).toBe("0\n");
    expect(existsSync(target)).toBe(false);
  });

  it.each([
    ["SELECT 1 SETTINGS max_threads = 1", "1\n"],
    ["SELECT sum(number) FROM numbers(3)", "3\n"],
    ["SELECT `a.b/c` + 1 FROM (SELECT 1 AS `a.b/c`)", "2\n"],
    ["EXPLAIN AST DROP TABLE kept", "DropQuery  kept (children 1)\n Identifier kept\n"],
  ])("answers %j", async (sql, text) => {
    expect((await get(sql)).text).toBe(text);
    expect((await get(sql, { session_id: "reader" })).text).toBe(text);
  });
});

it.each([
  "SELECT 1 INTO OUTFILE 'TARGET'",
  "SELECT 1 INTO /* a /* nested */ comment */ OUTFILE 'TARGET'",
  "SELECT 1 INTO OUTFILE \u2018TARGET\u2019",
  "SELECT 1 UNION ALL SELECT 2 INTO OUTFILE 'TARGET' TRUNCATE AND STDOUT",
])("no method writes the file of %j", async (sql) => {
  const text = sql.replace("TARGET", target);
  for (const method of ["GET", "POST"]) {
    for (const url of [{}, { session_id: "writer" }]) {
      const answer = await ask(text, {
        method,
        url: method === "GET" ? { ...url, query: text } : url,
      });
      expect(answer.text).toContain("INTO OUTFILE is not allowed");
    }
  }
  expect(existsSync(target)).toBe(false);
});

it.each(["INSERT INTO kept FROM/*/*x*/y*/INFILE \u2018TARGET'y\u2019 FORMAT CSV -- ' FORMAT CSV"])(
  "reads no file of the machine as the body of %j",
  async (sql) => {
    writeFileSync(`${target}'y`, "7\n");
    const { text } = await ask(sql.replace("TARGET", target));
    rmSync(`${target}'y`);
    expect(text).toMatch(/Code: (78\. DB::Exception: Query has infile|62\. )/);
    expect((await ask("SELECT count() FROM kept")).text).toBe("0\n");
  },
);

it("a reading user sets nothing in parallel with a write", async () => {
  const sql = "SET max_threads = 1 PARALLEL WITH INSERT INTO kept SELECT 1";
  for (const url of [{ readonly: "1" }, { readonly: "1", session_id: "reading" }]) {
    expect((await ask(sql, { url })).text).toContain("Code: 164.");
  }
  expect((await ask("SELECT count() FROM kept")).text).toBe("0\n");
});

describe("files of the machine", () => {
  it.each([
    "SELECT * FROM `/etc/passwd` FORMAT LineAsString",
    "SELECT * FROM '/etc/passwd'",
    "SELECT 'root' IN `/etc/passwd`",
    "SELECT * FROM `pack*.json` FORMAT LineAsString",
    "SELECT * FROM {t:Identifier}",
    "SELECT 7 IN (`/etc/passwd` AS y) FROM (SELECT 1 AS `/etc/passwd`)",
    "SELECT * FROM (SELECT 1 AS `a?`) WHERE `a?` IN (SELECT 1 FROM 'LICENSE')",
    "WITH y AS x, `/etc/passwd` AS y SELECT 'root' IN x",
    "SELECT 1 AS `/etc/x (children 1)` FROM `/etc/x (children 1)`",
    "SELECT `a\n    Identifier /etc/passwd`, 'root' IN `/etc/passwd`",
  ])("are no tables for GET: %j", async (sql) => {
    const url = { param_t: "/etc/passwd" };
    for (const more of [{}, { session_id: "reader" }]) {
      const { text } = await get(sql, { ...url, ...more });
      expect(text).toMatch(/Code: 164\..*may be the name of a file/s);
    }
  });

  it.each([
    ["SELECT `a*b` FROM (SELECT 3 AS `a*b`)", "3\n"],
    ["SELECT 1 AS x, LICENSE FROM (SELECT 2 AS LICENSE)", "1\t2\n"],
  ])("are not the columns of %j", async (sql, text) => {
    expect((await get(sql)).text).toBe(text);
  });

  it("are not written by the structure or the format of an external table", async () => {
    const structure = `a String) ENGINE = File(CSV, '${target}') AS SELECT 'evil' AS a --`;
    for (const table of [
      { x_structure: structure },
      { x_structure: "a String", x_format: "CSV PARALLEL WITH DROP TABLE kept" },
    ]) {
      const form = new FormData();
      form.append("x", new Blob(["1\n"]), "x");
      const url = new URLSearchParams({ query: "SELECT count() FROM x", readonly: "1", ...table });
      const answer = await fetch(`${server.http.url}/?${url}`, { method: "POST", body: form });
      expect(await answer.text()).toMatch(/Code: (62|73)\./);
    }
    expect(existsSync(target)).toBe(false);
    expect((await ask("SELECT count() FROM kept")).text).toBe("0\n");
  });
});

describe("a browser", () => {
  const site = (value: string) => ({ "Sec-Fetch-Site": value });

  it("runs no statement for a page of another site", async () => {
    for (const headers of [
      site("cross-site"),
      site("same-site"),
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { ...site("none"), Origin: "http://127.0.0.1:1" },
    ]) {
      const answers = [await ask("SELECT 1", { headers }), await get("SELECT 1", {}, headers)];
      for (const { status } of answers) expect(status).toBe(403);
    }
    const page = { ...site("same-origin"), Origin: server.http.url, "Sec-Fetch-Mode": "cors" };
    expect((await ask("SELECT 1", { headers: page })).text).toBe("1\n");
  });

  it("reads no state of the server for a page of another site", async () => {
    const { port, metricsPort = 0 } = server.http;
    for (const [at, path] of [
      [port, "/metrics"],
      [port, "/replicas_status"],
      [metricsPort, "/metrics"],
    ] as const) {
      for (const headers of [site("cross-site"), { Origin: "https://evil.example" }]) {
        expect([path, await statusOf(at, path, headers)]).toEqual([path, 403]);
      }
      const own = { ...site("same-origin"), Origin: `http://127.0.0.1:${at}` };
      for (const headers of [{}, own]) expect(await statusOf(at, path, headers)).toBe(200);
    }
  });

  it("opens /ping and a SELECT as an address, and nothing else", async () => {
    const headers = { ...site("none"), "Sec-Fetch-Mode": "navigate" };
    const open = (path: string, method = "GET") =>
      statusOf(server.http.port, path, headers, method);
    const query = (sql: string) => `/?${new URLSearchParams({ query: sql })}`;
    for (const path of ["/ping", query("SELECT 1")]) expect(await open(path)).toBe(200);
    for (const sql of ["SHOW TABLES", "SET max_threads = 1", "EXPLAIN SELECT 1"]) {
      expect(await open(query(sql))).toBe(403);
    }
    expect(await open(query("SELECT 1"), "POST")).toBe(403);
  });
});

it("answers to names of this machine only, on every address", async () => {
  const { port, metricsPort = 0 } = server.http;
  const paths = ["/", "/?query=SELECT+1", "/ping", "/replicas_status", "/metrics"];
  const addresses: [number, string][] = paths.map((path) => [port, path]);
  for (const [at, path] of [...addresses, [metricsPort, "/metrics"] as const]) {
    expect(await statusOf(at, path, { Host: `evil.example:${at}` })).toBe(403);
    expect(await statusOf(at, path, { Host: `localhost:${at}` })).toBe(200);
  }
});

it("keeps the default database, which every connection needs", async () => {
  const bound = { param_d: "default", session_id: "dropping" };
  await ask("SET param_d = 'default'", { url: { session_id: "dropping" } });
  for (const [sql, url] of [
    ["DROP DATABASE default", {}],
    ["DETACH DATABASE IF EXISTS `default`", {}],
    ["DROP DATABASE {d:Identifier}", bound],
    ["DROP DATABASE {d:Identifier}", { session_id: "dropping" }],
    ["SET max_threads = 2 PARALLEL WITH DROP DATABASE default", {}],
    ["CREATE DATABASE one PARALLEL WITH DETACH DATABASE default", {}],
  ] as const) {
    const answer = await ask(sql, { url });
    expect([sql, answer.status]).toEqual([sql, 501]);
    expect(answer.text).toContain("cannot be dropped or detached");
  }
  expect((await ask("SELECT 1")).text).toBe("1\n");
});
