import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { parseMapping } from "../../../../warehouse/import/mapping.ts";
import { starterMapping } from "../../../../warehouse/import/starter.ts";
import { importFiles } from "../../../../warehouse/import/write.ts";

const root = mkdtempSync(join(tmpdir(), "import-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const mapping = parseMapping(
  "time: { format: iso, zone: UTC }\ncolumns: { event_timestamp: at, click_id: session, page_url: url }\n",
  "m.yaml",
);
const HEAD = "at,session,url\n";
const GOOD = "2026-01-05 09:00:00,s1,/home\n";

function file(name: string, content: string | Buffer): string {
  const path = join(root, name);
  writeFileSync(path, content);
  return path;
}

const out = join(root, "set");
const run = (path: string) => importFiles([path], mapping, out);
const linesOf = (stream: string): string[] =>
  gunzipSync(readFileSync(join(out, `${stream}.jsonl.gz`)))
    .toString()
    .trimEnd()
    .split("\n");

test("rows that cannot be mapped are counted and listed with file and line", async () => {
  const path = file("a.csv", `${HEAD}2026-01-05 09:00:00,s1,"/a\n\nb"\n\nsoon,s1,/x\na,b\n${GOOD}`);
  const summary = await run(path);
  expect(summary).toMatchObject({
    rows: 4,
    unmapped: 2,
    counts: { browser: 2, location: 2, device: 1, geo: 0 },
  });
  expect(summary.first.map(({ line, reason }) => [line, reason])).toEqual([
    [6, 'event_timestamp: at "soon" is not a time of the format iso'],
    [7, "2 values, the header has 3 columns"],
  ]);
  const listed = readFileSync(join(out, "unmapped.jsonl"), "utf8").trim().split("\n");
  expect(listed.map((line) => JSON.parse(line))).toEqual([
    { ...summary.first[0], content: '["soon","s1","/x"]' },
    { ...summary.first[1], content: '["a","b"]' },
  ]);
});

test("a byte order mark, Windows line ends, gzip, tabs and JSON give the same messages", async () => {
  await run(file("plain.csv", HEAD + GOOD));
  const expected = linesOf("location")[0]?.replace(/"event_id":"[^"]*",/, "");
  const rows = HEAD + GOOD;
  const row = { at: "2026-01-05 09:00:00", session: "s1", url: "/home" };
  const variants: [string, string | Buffer][] = [
    ["bom.csv", `\uFEFF${rows}`],
    ["windows.csv", rows.replaceAll("\n", "\r\n")],
    ["packed.csv.gz", gzipSync(rows)],
    ["tabs.tsv", rows.replaceAll(",", "\t")],
    ["rows.jsonl", `\n${JSON.stringify(row)}\n`],
  ];
  for (const [name, content] of variants) {
    expect((await run(file(name, content))).unmapped, name).toBe(0);
    expect(linesOf("location")[0]?.replace(/"event_id":"[^"]*",/, "")).toBe(expected);
  }
});

test("a repeated import gives the same bytes", async () => {
  const path = file("again.csv", HEAD + GOOD);
  const bytes = async () => {
    await run(path);
    return readFileSync(join(out, "browser.jsonl.gz"));
  };
  expect((await bytes()).equals(await bytes())).toBe(true);
});

test.each<[string, string, string | Buffer, RegExp]>([
  [
    "a missing column",
    "missing.csv",
    "at,sesion,url\n1,2,3\n",
    /missing\.csv:1: no column "session" \(columns\.click_id\)\. Allowed: at, sesion, url; did you mean sesion\?$/,
  ],
  ["an empty file", "empty.csv", "", /empty\.csv has no rows$/],
  [
    "a key that no object has",
    "keys.jsonl",
    '{"at":"2026-01-05","session":"s1","link":"/"}\n',
    /^No JSON object has the key "url" \(columns\.page_url\); nothing was written$/,
  ],
  [
    "only rows that cannot be mapped",
    "none.csv",
    `${HEAD}soon,s1,/\n`,
    /none\.csv:2: event_timestamp: at "soon" .* None of 1 rows can be mapped; nothing was written$/,
  ],
  [
    "Latin-1",
    "latin.csv",
    Buffer.concat([Buffer.from(HEAD + GOOD), Buffer.from([0x63, 0xe9, 0x0a])]),
    /latin\.csv is not UTF-8 in line 3$/,
  ],
  [
    "UTF-16",
    "wide.csv",
    Buffer.from(`\uFEFF${HEAD}${GOOD}`, "utf16le"),
    /wide\.csv is UTF-16\. Allowed: UTF-8$/,
  ],
  [
    "an open quote",
    "quote.csv",
    `${HEAD}${GOOD}2026-01-05,"s1,/\n${GOOD}`,
    /quote\.csv:3: a quote is opened and not closed/,
  ],
  [
    "another format",
    "table.xlsx",
    "PK",
    /table\.xlsx is of an unknown format\. Allowed endings: \.csv/,
  ],
])("%s is one error, and the previous data set stays", async (_, name, content, message) => {
  await run(file("good.csv", HEAD + GOOD));
  await expect(run(file(name, content))).rejects.toThrow(message);
  expect(linesOf("browser")).toHaveLength(1);
  expect(existsSync(`${out}.partial`)).toBe(false);
});

test.each<[string, () => string, RegExp, RegExp]>([
  [
    "another delimiter",
    () => file("semicolons.csv", (HEAD + GOOD).replaceAll(",", ";")),
    /no column "at" \(columns\.event_timestamp\)\. Allowed: at;session;url/,
    /set delimiter in the mapping file/,
  ],
  [
    "UTF-16",
    () => file("utf16.csv", Buffer.from(`\uFEFF${HEAD}`, "utf16le")),
    /is UTF-16/,
    /iconv -f UTF-16 -t UTF-8 utf16\.csv/,
  ],
  ["no file", () => join(root, "no.csv"), /^There is no file .*no\.csv$/, /ls -l \//],
  [
    "a folder",
    () => mkdirSync(join(root, "folder.csv"), { recursive: true }) ?? join(root, "folder.csv"),
    /^\/.*folder\.csv is a folder\. Allowed: a file$/,
    /ls -l \//,
  ],
])("%s has a hint that helps", async (_, path, message, hint) => {
  const error = { message: expect.stringMatching(message), hint: expect.stringMatching(hint) };
  await expect(run(path())).rejects.toMatchObject(error);
});

test("refuses unsorted rows of a visitor, in one file and across files", async () => {
  const derived = parseMapping(
    "time: { format: iso, zone: Europe/Berlin }\ncolumns: { event_timestamp: at, user_custom_id: who }\n",
    "m.yaml",
  );
  const rows = (...times: string[]) =>
    `at,who\n${times.map((time) => `2026-01-05 ${time}:00,v\n`).join("")}`;
  const all = file("unsorted.csv", rows("10:00", "14:00", "10:05", "14:05"));
  const [even, odd] = [file("even.csv", rows("10:00", "14:00")), file("odd.csv", rows("10:05"))];
  const reason =
    'visitor "v" at 2026-01-05 09:05:00.000000 UTC follows a row at 2026-01-05 13:00:00.000000 UTC; sessions need rows in order of time';
  await expect(importFiles([all], derived, out)).rejects.toMatchObject({
    message: `${all}:4: ${reason}`,
    hint: expect.stringMatching(/^sort the file by the time in "at" .* click_id$/),
  });
  await expect(importFiles([even, odd], derived, out)).rejects.toThrow(`${odd}:2: ${reason}`);
  const sorted = file("sorted.csv", rows("10:00", "10:05", "14:00", "14:05"));
  expect(await importFiles([sorted], derived, out)).toMatchObject({ counts: { device: 2 } });
});

test("device and geo messages have the first values of the session that are not empty", async () => {
  const wide = parseMapping(
    `time: { format: iso, zone: UTC }
columns: { event_timestamp: at, click_id: session, device_type: device, user_domain_id: account, geo_country: land }
`,
    "m.yaml",
  );
  const path = file(
    "late.csv",
    `at,session,device,account,land
2026-01-05 09:00:00,s1,,,
2026-01-05 09:00:00,s2,Desktop,,FR
2026-01-05 09:01:00,s1,Mobile,,DE
2026-01-05 09:02:00,s1,Desktop,a1,GB
`,
  );
  const counts = { browser: 4, location: 4, device: 2, geo: 2 };
  expect(await importFiles([path], wide, out)).toMatchObject({ counts });
  const [first, second] = linesOf("device").map((line) => JSON.parse(line));
  expect(first).toMatchObject({ device_type: "Mobile", device_is_mobile: true });
  expect(first.user_domain_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).toMatchObject({ device_type: "Desktop", user_domain_id: null });
  const lands = linesOf("geo").map((line) => JSON.parse(line).geo_country);
  expect(lands).toEqual(["DE", "FR"]);
});

test("refuses a missing file, and a folder that no import wrote", async () => {
  await expect(run(join(root, "absent.csv"))).rejects.toThrow("There is no file");
  mkdirSync(join(root, "own"));
  writeFileSync(join(root, "own/notes.txt"), "");
  const path = file("b.csv", HEAD + GOOD);
  await expect(importFiles([path], mapping, join(root, "own"))).rejects.toMatchObject({
    message: expect.stringContaining("no import wrote it (notes.txt)"),
    hint: "name a new or an empty folder with --out",
  });
});

test("the starter mapping guesses columns, time format, separator and event types", async () => {
  const path = file(
    "guess.csv",
    "Time;Session ID;User-Agent;url;action;note\n05.01.2026 09:00;s1;Mozilla;/home;order_placed;x\n",
  );
  const text = await starterMapping(path);
  expect(parseMapping(text, "m.yaml")).toEqual({
    time: { format: "dd.MM.yyyy HH:mm", zone: "UTC" },
    delimiter: ";",
    columns: {
      event_timestamp: "Time",
      event_type: "action",
      click_id: "Session ID",
      browser_user_agent: "User-Agent",
      page_url: "url",
    },
    constants: {},
    session_minutes: 30,
    values: { event_type: { order_placed: "purchase" } },
  });
  expect(text).toContain("# Columns without a field: note");
});

test("the starter mapping marks what it cannot guess", async () => {
  const text = await starterMapping(file("odd.csv", "a,b\n1,2\n"));
  expect(text).toContain("  click_id: ? # needed: name a column".replace("?", '"?"'));
});

test("a file of a German site without sessions needs no further line to be imported", async () => {
  const path = file(
    "zeitung.csv",
    "Zeitpunkt;Besucher;Seite;Gerät\n05.07.2026 08:00:12;k1;https://zeitung.example/abo?x=1;Smartphone\n",
  );
  const text = await starterMapping(path);
  expect(text).toContain("# Frequent pages of the file: /abo\n");
  const started = parseMapping(text, "m.yaml");
  expect(started.columns).toEqual({
    event_timestamp: "Zeitpunkt",
    user_custom_id: "Besucher",
    page_url: "Seite",
    device_type: "Gerät",
  });
  expect(await importFiles([path], started, join(root, "zeitung"))).toMatchObject({ unmapped: 0 });
});
