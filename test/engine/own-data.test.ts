import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLines } from "../../generator/dataset/lines.ts";
import { filesOf } from "../../warehouse/import/files.ts";
import { importFiles } from "../../warehouse/import/import.ts";
import { readSource, sourceNamed } from "../../warehouse/import/source.ts";
import {
  COLUMNS,
  dir,
  imported,
  messages,
  openerIn,
  pages,
  sortedBy,
} from "../support/own-data.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine({ withSchema: false });
const open = openerIn(engine);

// Imports that are more than one file and its rows; imports/*.yaml have the others.

test("a session has one device message, however many sessions lie between its rows", async () => {
  const between = Array.from(
    { length: 100_001 },
    (_, number) => `2026-07-05T00:00:01Z,s${number + 1},v${number + 1},,/home`,
  );
  const content = [
    "time,session,visitor,account,url",
    "2026-07-05T00:00:00Z,s0,v0,,/home",
    ...between,
    "2026-07-05T00:10:00Z,s0,v0,acct-1,/cart",
    "",
  ].join("\n");
  const { out } = await imported("many", {
    open,
    name: "in.csv",
    content,
    select:
      "row, time, session AS session_id, visitor AS visitor_id, account AS account_id, url AS page_url",
  });
  const devices = messages(out, "device");
  expect(devices).toHaveLength(100_002);
  expect(devices.find((one) => one.user_custom_id === "v0")?.user_domain_id).not.toBeNull();
});

test("Parquet with nested and absent values is read", async () => {
  const file = join(dir, "in.parquet");
  await engine.db.run(
    `INSERT INTO FUNCTION file('${file}', Parquet)
     SELECT toDateTime64('2026-07-05 09:00:00.5', 3, 'UTC') AS t, NULL::Nullable(String) AS s, 7::UInt64 AS v, [('page', '/a')]::Array(Tuple(key String, value String)) AS p`,
  );
  const { out, account } = await imported("parquet", {
    open,
    name: "in.parquet",
    content: readFileSync(file),
    select:
      "row, t AS time, s AS session_id, v AS visitor_id, JSONExtractString(JSONExtractArrayRaw(p)[1], 'value') AS page_url",
  });
  expect(account.events).toBe(1);
  expect(pages(out).map((page) => page.page_url_path)).toEqual(["/a"]);
  expect(sortedBy(out, "browser", "event_timestamp")).toEqual(["2026-07-05 09:00:00.500000"]);
});

test("a user agent gives browser, system and device; a bot is a device", async () => {
  const agents = [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Android 14; SM-X900) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
  ];
  const content = [
    "t,s,a",
    ...agents.map((agent, index) => `2026-07-05 09:00:00,s${index},"${agent}"`),
    "",
  ].join("\n");
  const { out, warnings } = await imported("agents", {
    open,
    name: "in.csv",
    content,
    select: "row, t AS time, s AS session_id, a AS user_agent, 'pageview' AS event_type",
  });
  const devices = messages(out, "device").map((one) =>
    [one.os, one.os_name, one.device_type, one.device_is_mobile].join(", "),
  );
  expect(devices.sort()).toEqual([
    ", , Bot, false",
    "Android 14, Android, Tablet, true",
    "Windows 10, Windows, Computer, false",
    "iOS 17.5, iOS, Mobile, true",
    "macOS Catalina, macOS, Computer, false",
  ]);
  expect(sortedBy(out, "browser", "browser_name")).toContain("Safari");
  expect(warnings.join()).toContain("user agents of bots: 1");
  const file = join(dir, "agents", "in.csv");
  const source = readSource(join(dir, "agents", "select.sql"));
  const people = await importFiles([file], source, { dir: out, open, skipsBots: true });
  expect(people.account).toMatchObject({ events: 4, skipped: { "a bot": 1 } });
  expect(people.warnings.join()).not.toContain("bots");
});

test("equal rows of two datasets are two events", async () => {
  const { out } = await imported("first", {
    open,
    name: "in.csv",
    content: "time,url\n2026-07-05 09:00:00,/\n",
    select: "row, time, url AS page_url",
  });
  const source = readSource(join(dir, "first", "select.sql"));
  const other = join(dir, "first", "other");
  await importFiles([join(dir, "first", "in.csv")], source, { dir: other, open });
  const [one, two] = [out, other].map((set) => messages(set, "browser")[0]?.event_id);
  expect(one).not.toBe(two);
});

test("sessions computed slice by slice are those computed at once", async () => {
  const file = join(dir, "slices.csv");
  const rows = Array.from({ length: 200 }, (_, at) => {
    const minute = String(at % 60).padStart(2, "0");
    return `2026-07-05T0${1 + (at % 9)}:${minute}:00Z,,v${at % 40},/${at % 7},`;
  });
  writeFileSync(file, `time,session,visitor,url,referrer\n${rows.join("\n")}\n`);
  writeFileSync(`${file}.sql`, `SELECT ${COLUMNS} FROM input`);
  const source = readSource(`${file}.sql`);
  const sets = [join(dir, "whole", "slices"), join(dir, "sliced", "slices")] as const;
  await importFiles([file], source, { dir: sets[0], open });
  await importFiles([file], source, { dir: sets[1], open, rowsAtOnce: 10 });
  for (const stream of ["browser", "location", "device", "geo"]) {
    const found = [];
    for (const set of sets) {
      const lines: string[] = [];
      for await (const some of readLines(join(set, `${stream}.jsonl.zst`))) lines.push(...some);
      found.push(lines.sort());
    }
    expect(found[1]).toEqual(found[0]);
  }
});

test("a referrer is internal if a page of its site is of any slice", async () => {
  const sites = Array.from({ length: 40 }, (_, at) => `https://shop${at}.example`);
  const rows = sites.map((site, at) => {
    const other = sites[(at + 7) % sites.length];
    return `2026-07-05 09:00:00,v${at},${site}/a,${other}/b`;
  });
  const set = join(dir, "sites");
  mkdirSync(set);
  writeFileSync(join(set, "in.csv"), `time,v,url,referrer\n${rows.join("\n")}\n`);
  writeFileSync(
    join(set, "select.sql"),
    "SELECT row, time, v AS visitor_id, url AS page_url, referrer AS referer_url FROM input",
  );
  const out = join(set, "set");
  await importFiles([join(set, "in.csv")], readSource(join(set, "select.sql")), {
    dir: out,
    open,
    rowsAtOnce: 2,
  });
  expect(new Set(pages(out).map((page) => page.referer_medium))).toEqual(new Set(["internal"]));
});

test("the tables of one day of Google Analytics, intraday and daily, give each event once", async () => {
  const event = (name: string, more: object): string =>
    JSON.stringify({
      event_timestamp: "1783242000000000",
      event_name: name,
      user_pseudo_id: "a.1",
      event_params: [
        { key: "ga_session_id", value: { int_value: "1783242000" } },
        { key: "page_location", value: { string_value: "https://shop.example.com/home" } },
      ],
      ...more,
    });
  const nobody = { user_pseudo_id: null };
  const set = join(dir, "ga4");
  mkdirSync(set);
  const files = [{ is_active_user: true }, { event_server_timestamp_offset: 123 }].map(
    (more, at) => {
      const file = join(set, `${at}.json`);
      const lines = [event("session_start", more), event("page_view", more)];
      writeFileSync(file, `${lines.join("\n")}\n${event("page_view", { ...more, ...nobody })}\n`);
      return file;
    },
  );
  const { account } = await importFiles(files, sourceNamed("ga4-bigquery"), {
    dir: join(set, "set"),
    open,
  });
  expect(account).toMatchObject({ events: 4, equal: 0, repeated: 2 });
});

test("names with _ or a point at the beginning are no data, unless they are named", () => {
  const root = join(dir, "spark");
  const day = join(root, "dt=2026-07-05");
  for (const folder of [day, join(root, "_delta_log")]) mkdirSync(folder, { recursive: true });
  const part = join(day, "part-0.csv");
  const log = join(root, "_delta_log/0.json");
  for (const file of [part, log, join(root, "_SUCCESS"), join(day, ".part-0.csv.crc")])
    writeFileSync(file, "x");
  expect(filesOf([root])).toEqual([part]);
  expect(filesOf([join(root, "**/*")])).toEqual([part]);
  expect(filesOf([join(root, "_delta_log/*.json")])).toEqual([log]);
  expect(filesOf([join(root, "_delta*/*")])).toEqual([log]);
  expect(filesOf([log])).toEqual([log]);
});
