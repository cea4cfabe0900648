import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { starterSelect } from "../../warehouse/import/starter.ts";
import { dir, imported, messages, openerIn } from "../support/own-data.ts";
import { useTestEngine } from "../support/use-engine.ts";
import type { TextTable } from "./expected-rows/notation.ts";
import { bytesOf, type Case, type GivenFile, readCases } from "./imports/case.ts";

for (const [subject, cases] of readCases()) {
  describe(subject, () => {
    test.each(Object.entries(cases))("%s", (name, one) => check(`${subject} ${name}`, one));
  });
}

const open = openerIn(useTestEngine({ withSchema: false }));

async function check(name: string, { after, expect: expected, ...file }: Case): Promise<void> {
  const set = name.replaceAll(/\W+/g, "-");
  if (after) await importOne(set, after, false);
  const importing = importOne(set, file, after !== undefined);
  if (expected.error ?? expected.hint) {
    await expect(importing).rejects.toMatchObject({
      message: expect.stringContaining(expected.error ?? ""),
      ...(expected.hint ? { hint: expect.stringContaining(expected.hint) } : {}),
    });
  } else checkResult(await importing, expected);
  checkFiles(join(dir, set, "set"), expected);
}

type Expected = Case["expect"];

function checkResult(
  { account, warnings, select }: Awaited<ReturnType<typeof importOne>>,
  expected: Expected,
): void {
  const { files, ...counts } = expected.account;
  if (files) expect(account.files).toMatchObject(files);
  for (const [count, value] of Object.entries(counts)) {
    expect({ [count]: account[count as keyof typeof account] }).toEqual({ [count]: value });
  }
  for (const part of expected.warnings) expect(warnings.join("\n")).toContain(part);
  for (const part of expected.no_warnings) expect(warnings.join("\n")).not.toContain(part);
  for (const part of expected.written) expect(select).toContain(part);
}

function checkFiles(out: string, { site, events, device, geo, rejected }: Expected): void {
  if (site) expect(JSON.parse(readFileSync(join(out, "site.json"), "utf8"))).toEqual(site);
  if (events) expect(cellsOf(eventsIn(out), events)).toEqual(events.rows);
  if (device)
    expect(cellsOf(messages(out, "device"), device).sort()).toEqual(device.rows.toSorted());
  if (geo) expect(cellsOf(messages(out, "geo"), geo).sort()).toEqual(geo.rows.toSorted());
  if (!rejected) return;
  const found = rejectedIn(out);
  expect(found).toHaveLength(rejected.length);
  expect(found).toMatchObject(
    rejected.map((row) => ({ ...row, detail: expect.stringContaining(row.detail) })),
  );
}

async function importOne(set: string, given: GivenFile, append: boolean) {
  const bytes = bytesOf(given);
  const content = given.gzip ? gzipSync(bytes) : bytes;
  const select =
    given.select === "written" ? await written(set, given.file, content) : given.select;
  const one = { name: given.file, content, select, append, open };
  return { ...(await imported(set, one)), select };
}

async function written(set: string, name: string, content: Buffer): Promise<string> {
  mkdirSync(join(dir, set), { recursive: true });
  const file = join(dir, set, name);
  writeFileSync(file, content);
  return starterSelect(file);
}

type Fields = Readonly<Record<string, unknown>>;

/** Events with the fields of all their messages, in order of time. */
function eventsIn(out: string): Fields[] {
  const browser = messages(out, "browser").sort((a, b) =>
    String(a.event_timestamp).localeCompare(String(b.event_timestamp)),
  );
  const by = (stream: string, key: string) =>
    new Map(messages(out, stream).map((message) => [message[key], message]));
  const [location, device, geo] = [
    by("location", "event_id"),
    by("device", "click_id"),
    by("geo", "click_id"),
  ];
  const sessions = [...new Set(browser.map((event) => event.click_id))];
  return browser.map((event) => ({
    ...geo.get(event.click_id),
    ...device.get(event.click_id),
    ...location.get(event.event_id),
    ...event,
    session: sessions.indexOf(event.click_id) + 1,
  }));
}

/** Values in the notation of the cases: `""` is an empty text, `null` no value, an object JSON. */
const cellsOf = (all: readonly Fields[], { columns }: TextTable): string[][] =>
  all
    .map((fields) => ({ ...fields, has_account: fields.user_domain_id !== null }))
    .map((fields: Fields) => columns.map((column) => cellOf(fields[column])));

function cellOf(value: unknown): string {
  if (value === "") return '""';
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function rejectedIn(out: string): unknown[] {
  const lines = readFileSync(join(out, "rejected.jsonl"), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
