import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("dataset-check");

const CLICK = "7c9e6679-7425-40de-944b-000000000001";
/** Not an id of RFC 9562, but one that the pipeline accepts. */
const EVENT = "0b0f2c3e-6a0f-0b6e-0d51-000000000001";

function writeSet(name: string, files: Partial<Record<StreamName, string>>): string {
  const dir = mkdtempSync(join(root, name));
  for (const stream of STREAMS) writeFileSync(join(dir, `${stream}.jsonl`), files[stream] ?? "");
  return dir;
}

const page = (fields: object): string =>
  JSON.stringify({
    event_id: EVENT,
    click_id: CLICK,
    event_type: "pageview",
    event_timestamp: "2026-01-05T09:00:00Z",
    ...fields,
  });

test("lines are checked as the pipeline types them, with file, line and value", () => {
  const dir = writeSet("judged", {
    browser: [page({}), page({ event_id: "x" }), page({ event_type: "" }), '{"cut', ""].join("\n"),
    geo: `${JSON.stringify({ click_id: CLICK, geo_latitude: 999, geo_longitude: 1, geo_country: "GB", ip_address: "192.0.2.1" })}\n`,
  });
  const { status, stdout } = pipeline(["dataset", "check", dir]);
  expect(status).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "  browser    4 lines: 2 typed (1 marked), 2 rejected",
    "  location   0 lines: 0 typed (0 marked), 0 rejected",
    "  device     0 lines: 0 typed (0 marked), 0 rejected",
    "  geo        1 line: 1 typed (1 marked), 0 rejected",
    '  browser.jsonl:2: rejected: bad_event_id: event_id is absent or not a UUID: "x"',
    '  browser.jsonl:4: rejected: malformed_json: The payload is not one JSON object in valid UTF-8: {"cut',
    '  browser.jsonl:3: marked: bad_event_type: event_type is absent, empty or longer than 100 characters: ""',
    "  geo.jsonl:1: marked: bad_latitude: geo_latitude is absent, not a number or outside -90 to 90: 999",
    "",
  ]);
  const strict = pipeline(["dataset", "check", dir, "--strict"]);
  expect(strict.status).toBe(1);
  expect(strict.stderr).toContain("has 4 rejected or marked lines; --strict allows none");
});

test("a dataset with a byte order mark and one without lines have no wrong lines", () => {
  const marked = writeSet("bom", { browser: `\uFEFF${page({})}\r\n` });
  expect(pipeline(["dataset", "check", marked, "--strict"])).toMatchObject({ status: 0 });
  const empty = pipeline(["dataset", "check", writeSet("empty", {}), "--json", "--strict"]);
  expect(empty.status, empty.stderr).toBe(0);
  expect(JSON.parse(empty.stdout)).toMatchObject({
    problems: [],
    streams: { browser: { typed: 0, rejected: 0, marked: 0 } },
    found: [],
  });
});

test("a dataset that is not UTF-8 fails with one error", () => {
  const dir = writeSet("latin", {});
  writeFileSync(join(dir, "geo.jsonl"), Buffer.from([0x7b, 0xe9, 0x7d, 0x0a]));
  const { status, stdout, stderr } = pipeline(["dataset", "check", dir]);
  expect(status).toBe(1);
  expect(stdout).toContain("geo.jsonl is not UTF-8");
  expect(stderr).toMatch(/^error: .* has unreadable files[^\n]*\n {2}hint: [^\n]*\n$/);
});
