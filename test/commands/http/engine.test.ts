import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../embedded/engine.ts";

let directory: string;
let engine: EmbeddedEngine;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "engine-test-"));
  engine = new EmbeddedEngine(directory);
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true, force: true });
});

it("returns no rows of an earlier query that failed after its first rows", async () => {
  const breaks =
    "SELECT throwIf(number = 3) AS n FROM numbers(5) SETTINGS max_block_size = 1, max_threads = 1";
  await expect(engine.rows(breaks)).rejects.toThrow("non-zero");
  expect(await engine.rows("SELECT 5 AS n")).toEqual([{ n: 5 }]);
});

it("keeps settings and temporary tables of connections apart, and their data together", async () => {
  const one = engine.connect(["--max_threads=3"]);
  const two = engine.connect();
  one.query("CREATE TEMPORARY TABLE own (a Int8); CREATE TABLE shared (a Int8) ENGINE = Memory");
  expect(one.query("SELECT getSetting('max_threads')", "TSV")).toBe("3\n");
  expect(two.query("EXISTS TEMPORARY TABLE own", "TSV")).toBe("0\n");
  expect(two.query("EXISTS TABLE shared", "TSV")).toBe("1\n");
  one.close();
  two.close();
});
