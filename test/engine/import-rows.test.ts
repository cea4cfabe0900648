import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { filesOf } from "../../warehouse/import/files.ts";
import { importFiles } from "../../warehouse/import/import.ts";
import { readSource, sourceNamed } from "../../warehouse/import/source.ts";
import { dir, imported, messages, pages, sortedBy } from "../support/own-data.ts";

const SELECT = "row, time, session AS session_id, visitor AS visitor_id, url AS page_url";
const HEAD = "time,session,visitor,url,title\n";
const row = (second: number, title = "ok"): string =>
  `2026-07-05T09:00:0${second}Z,s${second},v${second},/home,${title}`;

interface Rejected {
  readonly row: number;
  readonly detail: string;
  readonly content: string;
}
const rejectedIn = (out: string): Rejected[] =>
  readFileSync(join(out, "rejected.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

test("a quote that is not closed costs its own line only, and rows are counted by lines", async () => {
  const titles = ["ok", "ok", '"unclosed', "ok", "ok", "ok", "ok", 'say "hi" x', "ok", "ok"];
  const content = `${HEAD}${titles.map((title, at) => row(at, title)).join("\n")}\n`;
  for (const name of ["in.csv", "in.csv.gz"]) {
    const { account, out } = await imported(`unclosed-${name}`, {
      name,
      content: name.endsWith(".gz") ? gzipSync(content) : content,
      select: SELECT,
    });
    expect(account).toMatchObject({
      files: [{ rows: 10 }],
      events: 9,
      rejected: { "unreadable row": 1 },
    });
    expect(rejectedIn(out)).toMatchObject([
      { row: 3, detail: "line 4: a quote is not closed", content: row(2, '"unclosed') },
    ]);
  }
});

test.each([
  ["at the end of the file", [row(0, '"unclosed'), row(1), row(2)], [1]],
  ["before quoted values", [row(0, '"unclosed'), `"2026-07-05T09:00:01Z","s","v","/a","x"`], [1]],
  [
    "twice, with a value of two lines between",
    [row(0, '"a'), row(1, '"b\nc"'), row(2, '"d')],
    [1, 3],
  ],
  ["within a value of two lines", [row(0, '"a\nb'), row(1), row(2, '"a ""quote"""')], [1, 2]],
])("a quote that is not closed %s is rejected with its row", async (name, rows, expected) => {
  const { out, account } = await imported(`quotes-${name}`, {
    name: "in.csv",
    content: `${HEAD}${rows.join("\n")}\n`,
    select: SELECT,
  });
  expect(rejectedIn(out).map((one) => one.row)).toEqual(expected);
  expect(account.files[0]?.rows).toBe(account.events + expected.length);
});

test("a value may have several lines, with quotes and separators", async () => {
  const value = '"first, ""quoted""\n\nthird"';
  const { account, out } = await imported("several-lines", {
    name: "in.csv",
    content: `${HEAD}${row(0)}\n${row(1, value)}\n${row(2)}\n`,
    select: `${SELECT}, map('title', title) AS properties`,
  });
  expect(account).toMatchObject({ files: [{ rows: 3 }], events: 3, rejected: {} });
  const titles = messages(out, "browser").map((one) => (one.properties as { title: string }).title);
  expect(titles).toContain('first, "quoted"\n\nthird');
});

test("an unreadable row of several lines names them, and has its whole content", async () => {
  const long = '2026-07-05T09:00:01Z,s,"a\nb\nc"';
  const { out, account } = await imported("long-row", {
    name: "in.csv",
    content: `${HEAD}${row(0, '"x\ny"')}\n${row(1, '"unclosed')}\n${long}\n${row(2)}\nshort\n`,
    select: SELECT,
  });
  expect(account).toMatchObject({ files: [{ rows: 5 }], events: 2 });
  expect(rejectedIn(out)).toMatchObject([
    { row: 2, detail: "line 4: a quote is not closed" },
    { row: 3, detail: expect.stringMatching(/^lines 5 to 7: Line feed found/), content: long },
    { row: 5, detail: expect.stringMatching(/^line 9: /), content: "short" },
  ]);
});

test("a row that the SELECT refuses has its number in the file, after rows that cannot be read", async () => {
  const { out } = await imported("refused", {
    name: "in.csv",
    content: `${HEAD}${row(0, '"unclosed')}\nshort\n${row(1).replace("2026", "year")}\n`.concat(
      row(2),
    ),
    select: SELECT,
  });
  expect(rejectedIn(out).map((one) => one.row)).toEqual([1, 2, 3]);
});

test("a line of JSON that is cut within a text costs no other line", async () => {
  const line = (minute: number): string => `{"t":"2026-07-05T09:0${minute}:00Z","u":"/${minute}"}`;
  const cut = '{"t":"2026-07-05T09:09:00Z","u":"/9';
  const { account, out } = await imported("cut", {
    name: "in.jsonl",
    content: [line(0), cut, line(1), "", line(2), line(3)].join("\n"),
    select: "row, t AS time, u AS page_url",
  });
  expect(account).toMatchObject({ files: [{ rows: 5 }], events: 4 });
  expect(rejectedIn(out)).toMatchObject([
    { row: 2, detail: "line 2: no JSON object", content: cut },
  ]);
});

test("lines of JSON that are empty are no rows, whatever their end", async () => {
  const line = (minute: number): string => `{"t":"2026-07-05T09:0${minute}:00Z","u":"/${minute}"}`;
  for (const end of ["\n", "\r\n"]) {
    const { account } = await imported(`empty-${end.length}`, {
      name: "in.jsonl",
      content: [line(0), "", line(1), line(2), ""].join(end),
      select: "row, t AS time, u AS page_url",
    });
    expect(account).toMatchObject({ files: [{ rows: 3 }], events: 3, rejected: {} });
  }
});

test.each([
  ["in.csv", `time,"url\n2026-07-05 09:00:00,/a\n`],
  ["in.csv", `time,"url\nof page"\n2026-07-05 09:00:00,/a\n`],
  ["in.tsv", "time\turl\\\n2026-07-05 09:00:00\t/\\\\a\n"],
])("a header that does not end in its line is refused: %s %j", async (name, content) => {
  const one = { name, content, select: "row, time, '/a' AS page_url" };
  await expect(imported("long-header", one)).rejects.toThrow(
    `${join(dir, "long-header", name)}: the header does not end in line 1`,
  );
});

test("a file with a header alone has no rows", async () => {
  for (const name of ["in.csv", "in.tsv"]) {
    const one = {
      name,
      content: HEAD.replaceAll(",", name === "in.csv" ? "," : "\t"),
      select: SELECT,
    };
    await expect(imported("header-alone", one)).rejects.toThrow("0 rows of 1 file = 0 events");
  }
});

test("NaN is no value, half of a character is U+FFFD, and null is rejected with its content", async () => {
  const { account, out } = await imported("python", {
    name: "in.jsonl",
    content: [
      '{"t":"2026-07-05T09:00:00Z","v":"v1","u":"/a","x":NaN,"y":[-Infinity]}',
      '{"t":"2026-07-05T09:01:00Z","v":"v2 \\ud83d","u":"/b"}',
      '{"t":"2026-07-05T09:02:00Z","v":"v3 \\ude00","u":"/c"}',
      '{"t":"2026-07-05T09:03:00Z","v":"NaN \\ud83d\\ude00 \\\\ud83d","u":"/d"}',
      "null",
      "",
    ].join("\n"),
    select: "row, t AS time, v AS visitor_id, u AS page_url, map('x', x, 'y', y) AS properties",
  });
  expect(account).toMatchObject({ events: 4, rejected: { "unreadable row": 1 } });
  expect(sortedBy(out, "device", "user_custom_id")).toEqual([
    "NaN 😀 \\ud83d",
    "v1",
    "v2 \ufffd",
    "v3 \ufffd",
  ]);
  expect(rejectedIn(out)).toMatchObject([{ row: 5, content: "null" }]);
});

test("a byte that nginx writes as \\x22 is read, any other wrong escape is rejected", async () => {
  const line = (url: string): string => `{"t":"2026-07-05T09:00:00Z","u":"${url}"}`;
  const { account, out } = await imported("nginx", {
    name: "in.jsonl",
    content: [line("/home"), line("/a\\x22b"), line("/\\xC3\\xBC"), line("/\\d"), ""].join("\n"),
    select: "row, t AS time, u AS page_url",
  });
  expect(sortedBy(out, "location", "page_url")).toEqual(['/a"b', "/home", "/ü"]);
  expect(account.rejected).toEqual({ "unreadable row": 1 });
  expect(rejectedIn(out)).toMatchObject([{ row: 4, content: line("/\\d") }]);
});

test.each([
  ["array", '[{"t":"2026-07-05 09:00:00","u":"/a"},\n {"t":"2026-07-05 09:01:00","u":"/b"}]\n'],
  [
    "pretty",
    '{\n  "t": "2026-07-05 09:00:00",\n  "u": "/a"\n}\n{\n  "t": "2026-07-05 09:01:00",\n  "u": "/b"\n}\n',
  ],
  ["joined", '{"t":"2026-07-05 09:00:00","u":"/a"}{"t":"2026-07-05 09:01:00","u":"/b"}'],
])(
  "objects of JSON that are no lines are read (%s), and refused whole if one is damaged",
  async (name, content) => {
    const select = "row, t AS time, u AS page_url";
    const { account } = await imported(name, { name: "in.json", content, select });
    expect(account).toMatchObject({ events: 2, files: [{ rows: 2 }] });
    const damaged = content.replace('"/b"', '"/b');
    await expect(
      imported(`${name}-damaged`, { name: "in.json", content: damaged, select }),
    ).rejects.toMatchObject({ hint: expect.stringContaining("jq -c '.[]?' ") });
  },
);

test("a line of text has no CR at its end, and no mark at the beginning of the file", async () => {
  const names = "#Fields: time c-ip cs-uri-stem cs(User-Agent)";
  const rows = [0, 2].map((minute) => `2026-07-05T09:0${minute}:00Z 192.0.2.1 /a Firefox/126.0`);
  const { account, out } = await imported("crlf", {
    name: "in.log",
    content: `\ufeff${[names, ...rows].join("\r\n")}\r\n`,
    select: `-- format: lines

SELECT row, f[1] AS time, f[2] AS ip_address, f[3] AS page_url, f[4] AS user_agent
FROM (SELECT row, line, splitByChar(' ', line) AS f FROM input) WHERE NOT startsWith(line, '#')`,
  });
  expect(account).toMatchObject({ events: 2 });
  expect(account.rejected).toEqual({});
  expect(sortedBy(out, "browser", "browser_user_agent")).toEqual([
    "Firefox/126.0",
    "Firefox/126.0",
  ]);
  expect(messages(out, "device")).toHaveLength(1);
});

const tsv = (...urls: string[]): string =>
  `time\turl\r\n${urls.map((url, at) => `2026-07-05 09:00:0${at}\t${url}\r\n`).join("")}`;

test.each([
  ["text, where one is before another sign", ["C:\\new", "a\\d"], ["C:\\new", "a\\d"], false],
  ["text, where nothing shows that one escapes", ["C:\\new\\"], ["C:\\new\\"], true],
  ["nothing to warn of, where there is none", ["/a"], ["/a"], false],
  ["text before a quote, as in JSON", ['{"a":"\\"\\\\n"}'], ['{"a":"\\"\\\\n"}'], false],
  ["an escape, where one is doubled", ["C:\\\\new", "a\\tb"], ["C:\\new", "a\tb"], false],
  ["an escape, where \\N is no value", ["a\\nb", "\\N"], ["", "a\nb"], false],
])("a backslash in TSV is %s", async (name, urls, expected, isWarned) => {
  const { out, warnings } = await imported(`backslash-${name.length}`, {
    name: "in.tsv",
    content: tsv(...urls),
    select: "row, time, 'x' AS event_type, url AS page_url",
  });
  expect(sortedBy(out, "location", "page_url")).toEqual(expected);
  expect(warnings.some((one) => one.includes("backslashes are read as text"))).toBe(isWarned);
});

test("a row of TSV whose value has an escaped end of line is one row", async () => {
  const { account, out } = await imported("escaped-end", {
    name: "in.tsv",
    content: "time\turl\n2026-07-05 09:00:00\t/a\\\n\\\\b\n2026-07-05 09:00:01\n",
    select: "row, time, url AS page_url",
  });
  expect(account).toMatchObject({ events: 1, files: [{ rows: 2 }] });
  expect(sortedBy(out, "location", "page_url")).toEqual(["/a\n\\b"]);
  expect(rejectedIn(out)).toMatchObject([{ row: 2, detail: expect.stringContaining("line 4: ") }]);
});

test("the line of Excel that names the separator is no header", async () => {
  const { account, out } = await imported("excel", {
    name: "in.csv",
    content: "\ufeffsep=;\r\ntime;url,a\r\n2026-07-05 09:00:00;/a\r\nshort\r\n",
    select: "row, time, `url,a` AS page_url",
  });
  expect(account).toMatchObject({ events: 1, files: [{ rows: 2 }] });
  expect(sortedBy(out, "location", "page_url")).toEqual(["/a"]);
  expect(rejectedIn(out)).toMatchObject([{ row: 2, detail: expect.stringContaining("line 4: ") }]);
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

test("rows that the SELECT skips are named with its reasons if no event is left", async () => {
  const select = `${SELECT}, if(title = 'ok', 'method', 'size') AS skipped`;
  await expect(
    imported("skipped", { name: "in.csv", content: `${HEAD}${row(0)}\n${row(1)}\n`, select }),
  ).rejects.toThrow("nothing was written: 2 rows of 1 file = 0 events + 2 rows skipped (method)");
});

test("a file that was read before with other content or another SELECT is refused", async () => {
  const first = { name: "d1.csv", content: `${HEAD}${row(0)}\n${row(1)}\n`, select: SELECT };
  await imported("again", first);
  const equal = await imported("again", { ...first, append: true });
  expect(equal.account).toMatchObject({ events: 2, equal: 2 });
  const file = join(dir, "again", "d1.csv");
  const set = join(dir, "again", "set");
  const corrected = { ...first, content: first.content.replace("v1", "v9"), append: true };
  await expect(imported("again", corrected)).rejects.toMatchObject({
    message: expect.stringContaining(`${file} was read before with other content`),
    hint: expect.stringContaining(
      `pipeline import ${file} --select ${join(dir, "again", "select.sql")} --out ${set}`,
    ),
  });
  const select = `${SELECT}, title AS utm_source`;
  await expect(imported("again", { ...first, select, append: true })).rejects.toThrow(
    `${file} was read before with another SELECT`,
  );
  expect(sortedBy(set, "device", "user_custom_id")).toEqual(["v0", "v1"]);
});

test("files that another SELECT read before are warned of", async () => {
  const content = `${HEAD}${row(0)}\n`;
  await imported("mixed", { name: "d1.csv", content, select: SELECT });
  const select = `${SELECT}, title AS utm_source`;
  const { warnings } = await imported("mixed", { name: "d2.csv", content, select, append: true });
  expect(warnings.join()).toContain("another SELECT gave: 1, such as ");
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
  });
  expect(account).toMatchObject({ events: 4, equal: 0, repeated: 2 });
});

test("a Z within quotes of a pattern is text, so that the zone counts", async () => {
  const pattern = "yyyy-MM-dd'T'HH:mm:ss'Z'";
  const { out } = await imported("quoted-zone", {
    name: "in.csv",
    content: "time,url\n2026-07-05T09:00:00Z,/a\n",
    select: `row, time_by(time, '${pattern.replaceAll("'", "''")}', 'Europe/Berlin') AS time, url AS page_url`,
  });
  expect(sortedBy(out, "browser", "event_timestamp")).toEqual(["2026-07-05 07:00:00.000000"]);
});

test.each([
  ["latitude", "48.1", { geo_latitude: 48.1 }],
  ["country", "DE", { geo_country: "DE" }],
  ["region", "Bavaria", { geo_region_name: "Bavaria" }],
  ["ip_address", "192.0.2.1", { ip_address: "192.0.2.1" }],
])(
  "a session has a geo message if it has only a %s, and none without a place",
  async (column, value, expected) => {
    const { out } = await imported(`place-${column}`, {
      name: "in.csv",
      content: `time,s,v\n2026-07-05 09:00:00,s1,${value}\n2026-07-05 09:00:00,s2,\n`,
      select: `row, time, s AS session_id, s AS visitor_id, v AS ${column}, 'x' AS event_type`,
    });
    expect(messages(out, "geo")).toMatchObject([expected]);
  },
);

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
    rowsAtOnce: 2,
  });
  expect(new Set(pages(out).map((page) => page.referer_medium))).toEqual(new Set(["internal"]));
});

test("an integer of any length and a control character are kept in a line that is mended", async () => {
  const { out } = await imported("kept-number", {
    name: "in.jsonl",
    content: '{"t":"2026-07-05 09:00:00","v":12345678901234567890123,"x":NaN,"u":"/a\tb"}\n',
    select: "row, t AS time, v AS visitor_id, u AS page_url",
  });
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(["12345678901234567890123"]);
  expect(sortedBy(out, "location", "page_url")).toEqual(["/a\tb"]);
});
