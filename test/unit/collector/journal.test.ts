import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { Journal, JournalFull, type Row } from "../../../collector/journal.ts";
import { folderOfTest } from "../../support/use-folder.ts";

let dir: string;
beforeEach(() => {
  dir = folderOfTest("journal");
});

const open = (next = 0, maxBytes = 1_000_000) => new Journal(dir, { next, maxBytes });
const rows = (...bodies: string[]): Row[] =>
  bodies.map((body) => ({ protocol: "page", received: 1, reason: "", body }));
const stored = (): { number: number; body: string }[] =>
  readdirSync(dir)
    .sort()
    .flatMap((name) => readFileSync(join(dir, name), "utf8").trim().split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

test("rows are in the file when append resolves, numbered in the order of the requests", async () => {
  expect(open().since).toBeUndefined();
  const journal = open(7);
  await Promise.all([journal.append(rows("a", "b")), journal.append(rows("c"))]);
  expect(stored().map(({ number, body }) => `${number} ${body}`)).toEqual(["7 a", "8 b", "9 c"]);
  expect([journal.begin, journal.end]).toEqual([7, 10]);
  expect(journal.since).toBeGreaterThan(1);
  await journal.close();
});

test("a complete file is delivered as it is, and later rows go to another one", async () => {
  const journal = open();
  await journal.append(rows("a"));
  const first = await journal.oldest();
  await journal.append(rows("b"));
  expect(first).toMatchObject({ first: 0, rows: 1 });
  expect(await journal.oldest()).toBe(first);
  if (first) journal.delivered(first);
  expect(await journal.oldest()).toMatchObject({ first: 1, rows: 1 });
  expect(stored().map(({ body }) => body)).toEqual(["b"]);
  await journal.close();
});

test("without rows there is nothing to deliver", async () => {
  const journal = open(3);
  expect(await journal.oldest()).toBeUndefined();
  expect([journal.begin, journal.end]).toEqual([3, 3]);
});

test("an opened journal continues after the rows that were stored, without a part of a line", async () => {
  const killed = open();
  await killed.append(rows("a", "b"));
  const [file = ""] = readdirSync(dir);
  appendFileSync(join(dir, file), '{"number":2,"protocol":"pa');
  const journal = open();
  await journal.append(rows("c"));
  expect(stored().map(({ number, body }) => `${number} ${body}`)).toEqual(["0 a", "1 b", "2 c"]);
  expect(await journal.oldest()).toMatchObject({ first: 0, rows: 2 });
  await journal.close();
});

test("a full journal refuses rows until some are delivered", async () => {
  const journal = open(0, 100);
  await journal.append(rows("x".repeat(200)));
  await expect(journal.append(rows("b"))).rejects.toThrow(JournalFull);
  const segment = await journal.oldest();
  if (segment) journal.delivered(segment);
  await journal.append(rows("b"));
  expect(stored().map(({ number, body }) => `${number} ${body}`)).toEqual(["1 b"]);
  await journal.close();
});

test("rows that wait for the disk count, until they are stored or have failed", async () => {
  const journal = open(0, 100);
  rmSync(dir, { recursive: true });
  const first = journal.append(rows("x".repeat(200)));
  await expect(journal.append(rows("b"))).rejects.toThrow(JournalFull);
  await expect(first).rejects.toThrow("ENOENT");
  mkdirSync(dir);
  await journal.append(rows("c"));
  expect(stored().map(({ body }) => body)).toEqual(["c"]);
  await journal.close();
});

test("at most 32 MB wait for the disk", async () => {
  const journal = open(0, 1e9);
  const large = rows("x".repeat(2 ** 24));
  const waiting = [journal.append(large), journal.append(large)];
  await expect(journal.append(rows("b"))).rejects.toThrow(JournalFull);
  await Promise.all(waiting);
  await journal.close();
});
