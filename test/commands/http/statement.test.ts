import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headerLength } from "../../../embedded/http/formats.ts";
import { parseInsert, rewriteToReadFile } from "../../../embedded/http/insert.ts";
import { tokens } from "../../../embedded/http/lexer.ts";
import { setStatement } from "../../../embedded/http/parameters.ts";
import { inspect, refuseLossOfDefault } from "../../../embedded/http/statement.ts";

const texts = (sql: string): string[] => [...tokens(sql)].map((token) => token.text);

describe("tokens", () => {
  it.each([
    ["SELECT 'a;b', `c'd`, \"e`f\"", ["SELECT", "'a;b'", ",", "`c'd`", ",", '"e`f"']],
    ["'it''s' 'it\\'s'", ["'it''s'", "'it\\'s'"]],
    ["1 -- ; no\n/* 'x */ 2 # note\n3", ["1", "2", "3"]],
    ["$x$ ; ' $x$ 4", ["$x$ ; ' $x$", "4"]],
    ["'never closed", ["'never closed"]],
    ["/* never closed", []],
  ])("splits %j", (sql, expected) => {
    expect(texts(sql)).toEqual(expected);
  });

  it("covers any text without loss, in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."a1'`\"\\/*-#$;()\n ") }), (sql) => {
        let end = 0;
        for (const token of tokens(sql)) {
          expect(token.start).toBeGreaterThanOrEqual(end);
          expect(token.text).toBe(sql.slice(token.start, token.end));
          expect(token.text).not.toBe("");
          end = token.end;
        }
        expect(end).toBeLessThanOrEqual(sql.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it("accepts a literal of many megabytes", () => {
    expect(texts(`SELECT '${"x''".repeat(2_000_000)}'`)).toHaveLength(2);
  });
});

describe("parseInsert", () => {
  const parts = (sql: string) => {
    const insert = parseInsert(sql);
    return insert && [insert.head, insert.settings, insert.format, sql.slice(insert.dataStart)];
  };

  it.each([
    ["INSERT INTO t FORMAT CSV\n1,2", ["INSERT INTO t ", "", "CSV", "1,2"]],
    ["insert into t (a, b) values (1),(2)", ["insert into t (a, b) ", "", "Values", "(1),(2)"]],
    [
      "INSERT INTO db.t SETTINGS a=1 FORMAT CSV 1",
      ["INSERT INTO db.t ", "SETTINGS a=1 ", "CSV", "1"],
    ],
    ["INSERT INTO TABLE format FORMAT TSV \r\nx", ["INSERT INTO TABLE format ", "", "TSV", "x"]],
    ["INSERT INTO d.values VALUES\n\n(1)", ["INSERT INTO d.values ", "", "Values", "\n(1)"]],
    ["/* a */ INSERT INTO t FORMAT Native\n\n\0", ["/* a */ INSERT INTO t ", "", "Native", "\n\0"]],
    [
      "INSERT INTO FUNCTION null('format X') VALUES (1)",
      ["INSERT INTO FUNCTION null('format X') ", "", "Values", "(1)"],
    ],
  ])("finds the rows of %j", (sql, expected) => {
    expect(parts(sql)).toEqual(expected);
  });

  it.each([
    "INSERT INTO t SELECT 1 FORMAT CSV",
    "INSERT INTO t SELECT a FROM infile WHERE 1",
    "INSERT INTO t",
    "SELECT 1 FORMAT CSV",
    "",
    "INSERT",
  ])("leaves %j to the engine", (sql) => {
    expect(parseInsert(sql)).toBeUndefined();
  });

  it("puts the file in place of the rows", () => {
    const read = (sql: string): string | undefined => {
      const insert = parseInsert(sql);
      return insert && rewriteToReadFile(insert, "/f").replace(/ +/g, " ");
    };
    expect(read("INSERT INTO t (a) SETTINGS b=1 VALUES (1)")).toBe(
      "INSERT INTO t (a) FROM INFILE '/f' COMPRESSION 'none' SETTINGS b=1 FORMAT Values",
    );
    expect(read("INSERT INTO t SELECT a + 1 FROM input('a Int8') WHERE a > 1 FORMAT CSV\n1")).toBe(
      "INSERT INTO t SELECT a + 1 FROM file('/f', 'CSV', 'a Int8', 'none') WHERE a > 1 ",
    );
  });

  it("refuses a semicolon before the rows, and files of the server", () => {
    expect(() => parseInsert("INSERT INTO t FORMAT CSV; 1")).toThrow("excessive ';'");
    expect(() => parseInsert("INSERT INTO t FROM INFILE 'x' FORMAT CSV")).toThrow("infile");
  });
});

describe("inspect", () => {
  const externalSources = new Set(["url", "file"]);
  const plain = { streams: true };

  it.each([
    ["SELECT 1", "SELECT", true, plain],
    [
      "WITH a AS (SELECT 1) SELECT * FROM a FORMAT JSON",
      "WITH",
      true,
      { ...plain, format: "JSON" },
    ],
    ["INSERT INTO t WITH a AS (SELECT 1) SELECT * FROM a", "INSERT", false, { streams: false }],
    ["SELECT 1 FORMAT CSV SETTINGS x = 1", "SELECT", true, { ...plain, format: "CSV" }],
    ["SELECT format FROM t", "SELECT", true, plain],
    ["SELECT 1 FROM t WHERE log_comment = 'x' SETTINGS a = 1", "SELECT", true, plain],
    ["SELECT 1, format AS x", "SELECT", true, plain],
    ["SELECT * FROM (SELECT 1 FORMAT CSV)", "SELECT", true, plain],
    ["SELECT (SELECT 1)", "SELECT", true, { streams: false }],
    ["SELECT a FROM t WHERE a IN (SELECT 1)", "SELECT", true, { streams: false }],
    ["SELECT * FROM `URL`('http://x')", "SELECT", true, { streams: false, externalSource: "url" }],
    ["DESCRIBE TABLE file('/x')", "DESCRIBE", true, { streams: false, externalSource: "file" }],
    ["SELECT url FROM t", "SELECT", true, plain],
    ["DROP TABLE t", "DROP", false, { streams: false }],
    ["EXPLAIN SELECT 1", "EXPLAIN", true, plain],
    ["SET a = 1 PARALLEL WITH DROP TABLE t", "PARALLEL", false, { streams: false }],
    ["SELECT 1 PARALLEL WITH SELECT 2", "PARALLEL", false, { streams: false }],
    ["(SELECT 1 UNION ALL SELECT 2) EXCEPT SELECT 3", "SELECT", true, { streams: false }],
  ])("reads %j", (text, keyword, reads, more) => {
    expect(inspect(text, externalSources)).toEqual({ text, keyword, reads, ...more });
  });

  it.each([
    ["SELECT 1 INTO OUTFILE 'x'", "INTO OUTFILE is not allowed"],
    ["EXPLAIN SELECT 1 INTO OUTFILE 'x'", "INTO OUTFILE is not allowed"],
    ["INSERT INTO t FROM INFILE 'x' FORMAT CSV", "Query has infile"],
    ["SET dialect = 'prql'", "ClickHouse SQL only"],
    ["SET max_threads = 1, log_comment = 'x'", "log_comment is reserved"],
    ["SELECT 1 SETTINGS max_threads = 1, log_comment = 'x'", "log_comment is reserved"],
    ["SELECT 1 SETTINGS `log_comment` = 'x' FORMAT CSV", "log_comment is reserved"],
    ["SELECT * FROM (SELECT 1 SETTINGS log_comment = 'x')", "log_comment is reserved"],
  ])("refuses %j", (sql, message) => {
    expect(() => inspect(sql, externalSources)).toThrow(message);
  });

  it.each([
    ["DROP DATABASE IF EXISTS default", "a"],
    ["DETACH DATABASE `default`", "a"],
    ["DROP TABLE t PARALLEL WITH DROP DATABASE default", "a"],
    ["DROP DATABASE {d:Identifier}", "default"],
    ["DROP DATABASE {d:Identifier}", "\\x64efault"],
    ["DROP DATABASE {other:Identifier}", "a"],
    ["SET param_d = 'default' PARALLEL WITH DROP DATABASE {d:Identifier}", "a"],
    ["CREATE DATABASE a PARALLEL WITH DETACH DATABASE default", "a"],
  ])("keeps the default database from %j", (sql, name) => {
    const bindings = new Map([["param_d", name]]);
    expect(() => refuseLossOfDefault(inspect(sql, externalSources), bindings)).toThrow(
      "cannot be dropped",
    );
  });

  it.each(["DROP DATABASE other", "DROP TABLE default.t", "DROP DATABASE {d:Identifier}"])(
    "allows %j",
    (sql) =>
      refuseLossOfDefault(
        inspect(sql, externalSources),
        new Map([
          ["param_d", "other"],
          ["param_e", "default"],
        ]),
      ),
  );
});

describe("setStatement", () => {
  it("quotes values and refuses invalid names", () => {
    expect(setStatement([["a", "it's \\ x"]])).toBe("SET a = 'it\\'s \\\\ x'");
    expect(setStatement([])).toBeUndefined();
    expect(() => setStatement([["a = 1, readonly", "0"]])).toThrow("Unknown setting");
  });
});

describe("headerLength", () => {
  const length = (text: string, lines: number, csv: boolean): number =>
    headerLength(Buffer.from(text), lines, csv);

  it("ends after the header's lines", () => {
    expect(length("a\tb\n1\t2\n", 1, false)).toBe(4);
    expect(length('"a\nb"\n1\n', 1, true)).toBe(6);
    expect(length('a"\n1\n', 1, false)).toBe(3);
    expect(length("x\ny\nz\n", 0, false)).toBe(0);
  });
});
