import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readLines } from "../../generator/dataset/lines.ts";
import { withTemporaryWorkspace } from "../../warehouse/database/open.ts";
import { importFiles } from "../../warehouse/import/import.ts";
import { readSource } from "../../warehouse/import/source.ts";
import { starterSelect } from "../../warehouse/import/starter.ts";
import { readStatements } from "../../warehouse/sql.ts";
import { COLUMNS, dir, imported, messages, pages, sortedBy } from "../support/own-data.ts";

const HEAD = "time,session,visitor,url,referrer\n";
const csv = (...rows: string[]): string => `${HEAD}${rows.join("\n")}\n`;
const row = (minute: number, session: string, url: string, referrer = ""): string =>
  `2026-07-05T09:${String(minute).padStart(2, "0")}:00Z,${session},v${session},${url},${referrer}`;

test("a quote in TSV is text", async () => {
  const content = csv(
    row(0, "s1", "https://s.example.com/a", '"best shoes'),
    row(1, "s2", "/b"),
    row(2, "s3", "/c", 'say "hi"'),
  );
  const { account, out } = await imported("quote", {
    name: "in.tsv",
    content: content.replaceAll(",", "\t"),
  });
  expect(account.events).toBe(3);
  expect(pages(out)[0]?.referer_url).toBe('"best shoes');
});

test("a row that the engine cannot read is rejected with its number and the engine's reason", async () => {
  const content = csv(
    '2026-07-05T09:00:00Z,s1,v1,"https://s.example.com/a?q=\\"x\\"",',
    row(1, "s2", "/b"),
    "a,b",
    row(2, "s3", "/c"),
  );
  const { account, rejected, out } = await imported("escaped", { name: "in.csv", content });
  expect(account).toMatchObject({ events: 2, rejected: { "unreadable row": 2 } });
  expect(rejected.map((one) => one.row)).toEqual([1, 3]);
  expect(rejected[0]?.detail).toContain("There is no delimiter");
  expect(pages(out).map((page) => page.page_url_path)).toEqual(["/b", "/c"]);
});

test("integers above 2^53 stay exact", async () => {
  const content =
    '{"time":"2026-07-05 09:00:00","session":9007199254740992,"visitor":1234567890123456789}\n{"time":"2026-07-05 09:00:01","session":9007199254740993,"visitor":1234567890123456790}\n';
  const { out } = await imported("integers", {
    name: "in.jsonl",
    content,
    select: "row, time, session AS session_id, visitor AS visitor_id, 'pageview' AS event_type",
  });
  expect(sortedBy(out, "device", "user_custom_id")).toEqual([
    "1234567890123456789",
    "1234567890123456790",
  ]);
});

test("files appended to a data set give the sessions of one import of all", async () => {
  const head = "time,session,visitor,account,url,country,device\n";
  const select =
    "row, time, session AS session_id, visitor AS visitor_id, account AS account_id, url AS page_url, country, device";
  const first = {
    name: "1.csv",
    content: `${head}2026-07-05T23:50:00Z,s1,v1,a-1,/home,DE,Mobile\n`,
    select,
  };
  const second = {
    name: "2.csv",
    content: `${head}2026-07-06T00:02:00Z,s1,v1,,/cart,,\n`,
    select,
    append: true,
  };
  await imported("append", first);
  const { out, account } = await imported("append", second);
  expect(account).toMatchObject({ events: 2, files: [{ rows: 1 }, { rows: 1 }] });
  expect(messages(out, "device")).toMatchObject([{ device_type: "Mobile", user_custom_id: "v1" }]);
  expect(messages(out, "device")[0]?.user_domain_id).not.toBeNull();
  expect(messages(out, "geo")).toMatchObject([{ geo_country: "DE" }]);
});

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
    name: "in.csv",
    content,
    select:
      "row, time, session AS session_id, visitor AS visitor_id, account AS account_id, url AS page_url",
  });
  const devices = messages(out, "device");
  expect(devices).toHaveLength(100_002);
  expect(devices.find((one) => one.user_custom_id === "v0")?.user_domain_id).not.toBeNull();
});

test("a session id of several visitors is warned of; a key of two columns separates them", async () => {
  const content =
    '{"ts":1538352117000,"sessionId":29,"userId":"30","page":"NextSong"}\n{"ts":1538352118000,"sessionId":29,"userId":"9","page":"Home"}\n{"ts":1538352119000,"sessionId":30,"userId":"9","page":"Home"}\n';
  const ids = (session: string): string =>
    `row, ts AS time, ${session} AS session_id, userId AS visitor_id, page AS page_url`;
  const shared = await imported("shared", { name: "in.jsonl", content, select: ids("sessionId") });
  expect(shared.warnings.join()).toContain("sessions with several visitors: 1, such as 29");
  const { out } = await imported("keys", {
    name: "in.jsonl",
    content,
    select: ids("concat(userId, ' ', sessionId)"),
  });
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(["30", "9", "9"]);
  expect(messages(out, "browser").map((one) => one.properties)).toContainEqual({
    session_id: "9 29",
  });
});

test("a text for no value is no id", async () => {
  const content =
    "time,session,visitor,account\n2026-07-05T09:00:00Z,s1,v1,NULL\n2026-07-05T09:01:00Z,s2,v2,u-2\n2026-07-05T09:02:00Z,NULL,v3,-1\n2026-07-05T09:03:00Z,undefined,v4,\\N\n";
  const { out } = await imported("placeholders", {
    name: "in.csv",
    content,
    select:
      "row, time, session AS session_id, visitor AS visitor_id, account AS account_id, 'pageview' AS event_type",
  });
  expect(new Set(messages(out, "browser").map((one) => one.click_id)).size).toBe(4);
  expect(
    messages(out, "device")
      .filter((one) => one.user_domain_id !== null)
      .map((one) => one.user_custom_id),
  ).toEqual(["v2"]);
});

test("false and an empty object, which exports write for a missing id, are no id", async () => {
  const content =
    '{"t":"2026-07-05 09:00:00","s":false,"v":false}\n{"t":"2026-07-05 09:00:01","s":{},"v":[]}\n{"t":"2026-07-05 09:00:02","s":"s1","v":"v1"}\n';
  const { out } = await imported("missing-ids", {
    name: "in.jsonl",
    content,
    select: "row, t AS time, s AS session_id, v AS visitor_id, 'pageview' AS event_type",
  });
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(["", "", "v1"]);
});

test("a funnel without a page of the file is warned of", async () => {
  const content = csv(row(0, "s1", "/news/a"));
  const { warnings } = await imported("no-funnel", { name: "in.csv", content });
  expect(warnings.join()).toContain("no event is of a page of the funnel (/home, ");
  const select = `-- funnel: [{ stage: story, pages: [/news/*] }]\n\nSELECT ${COLUMNS} FROM input`;
  const own = await imported("own-funnel", { name: "in.csv", content, select });
  expect(own.warnings.join()).not.toContain("funnel");
});

test("a pause of a visitor begins a session, and the own site is no referrer", async () => {
  const rows = [
    "09:00:00Z,,v1,https://shop.example.com/home,https://news.example.org/",
    "09:05:00Z,,v1,https://shop.example.com/cart,https://shop.example.com/home",
    "10:00:00Z,,v1,https://shop.example.com/payment,https://www.shop.example.com/cart",
  ];
  const { out } = await imported("pause", {
    name: "in.csv",
    content: csv(...rows.reverse().map((one) => `2026-07-05T${one}`)),
  });
  expect(messages(out, "device")).toHaveLength(2);
  expect(pages(out).map((page) => page.referer_medium)).toEqual([
    "referral",
    "internal",
    "internal",
  ]);
});

test("referrers, parameters of campaigns and of advertisers say where a visitor came from", async () => {
  const shop = "https://shop.example.com/";
  const google = "https://www.google.com/";
  const content = csv(
    row(0, "s1", shop, google),
    row(1, "s2", `${shop}?utm_source=google&utm_medium=CPC&utm_campaign=a%20b`, google),
    row(2, "s3", `${shop}?gclid=abc`, google),
    row(3, "s4", shop, "https://www.facebook.com/"),
    row(4, "s5", shop, "https://duckduckgo.com/"),
    row(5, "s6", shop, "-"),
    row(6, "s7", shop, "https://mail.google.com/"),
    row(7, "s8", `${shop}?fbclid=1`, ""),
    row(8, "s9", shop, "https://t.co/x"),
    row(9, "s10", `${shop}?gclid=&utm_source=null`, "None"),
    row(10, "s11", shop, "android-app://com.google.android.gm/"),
    row(11, "s12", shop, "android-app://com.reddit.frontpage/"),
    row(12, "s13", shop, "https://docs.google.com/"),
    row(13, "s14", shop, "https://go.mail.ru/search"),
    row(14, "s15", shop, "https://e.mail.ru/inbox"),
    row(15, "s16", `${shop}?rdt_cid=1`),
  );
  const { out } = await imported("referrers", { name: "in.csv", content });
  const facts = pages(out).map((page) =>
    [page.referer_medium, page.utm_source, page.utm_medium, page.utm_campaign].join(" ").trim(),
  );
  expect(facts).toEqual([
    "search",
    "search google CPC a b",
    "search google cpc",
    "social",
    "search",
    "direct",
    "email",
    "direct facebook social",
    "social",
    "direct",
    "email",
    "social",
    "referral",
    "search",
    "email",
    "direct reddit paid_social",
  ]);
});

const PATHS: readonly [string, string][] = [
  ["shop.example.com/pricing?utm_source=x", "/pricing"],
  ["https://shop.example.com/pricing", "/pricing"],
  ["https://shop.example.com", "/"],
  ["https://shop.example.com?next=/a#/b", "/"],
  ["/pricing#top", "/pricing"],
  ["//shop.example.com/pricing", "/pricing"],
  ["https://[2001:db8::1]:8080/a/b?c=d", "/a/b"],
  ["localhost:3000/a", "/a"],
  ["myapp://screen/one", "/screen/one"],
  ["/%C3%BCber-uns", "/über-uns"],
  ["/über-uns", "/über-uns"],
  ["index.html", "/index.html"],
  ["NextSong", "/NextSong"],
  ["favicon.ico", "/favicon.ico"],
  ["list.do", "/list.do"],
  ["v1.2/home", "/v1.2/home"],
  ["192.0.2.7:8080/a", "/a"],
];
let paths: Promise<Map<unknown, unknown>> | undefined;
const allPaths = () => {
  paths ??= imported("paths", {
    name: "in.csv",
    content: csv(...PATHS.map(([url], index) => row(index, `s${index}`, url))),
  }).then(({ out }) => new Map(pages(out).map((page) => [page.page_url, page.page_url_path])));
  return paths;
};

test.each(PATHS)("the path of %s is %s", async (url, path) => {
  expect((await allPaths()).get(url)).toBe(path);
});

test.each([
  [
    "array.json",
    '[{"t":"2026-07-05T09:00:00Z","s":"a"},\n {"t":"2026-07-05T09:01:00Z","s":"b"}]',
    2,
  ],
  [
    "pretty.json",
    '{\n  "t": "2026-07-05T09:00:00Z",\n  "s": "a"\n}\n{\n  "t": "2026-07-05T09:01:00Z",\n  "s": "b"\n}\n',
    2,
  ],
  ["in.csv.GZ", gzipSync("t,s\n2026-07-05T09:00:00Z,a\n"), 1],
  ["semicolon.csv", "t;s\n2026-07-05T09:00:00Z;a\n", 1],
  ["tabs.csv", "t\ts\n2026-07-05T09:00:00Z\ta\n\n", 1],
])("%s is read", async (name, content, events) => {
  const { account } = await imported(name, {
    name,
    content,
    select: "row, t AS time, s AS session_id, 'pageview' AS event_type",
  });
  expect(account.events).toBe(events);
});

test("a key that some files lack is named in the header, and a warning says that no row has it", async () => {
  const select =
    "-- source: test\n-- optional: [campaign]\n\nSELECT row, t AS time, s AS session_id, campaign AS utm_campaign, 'pageview' AS event_type FROM input";
  const { account, warnings } = await imported("sparse", {
    name: "in.jsonl",
    content: '{"t":"2026-07-05T09:00:00Z","s":"a"}\n',
    select,
  });
  expect(account.events).toBe(1);
  expect(warnings).toContain("no row has campaign");
});

test("a column that no file has is an error with those of the files", async () => {
  const wrong = imported("wrong", {
    name: "in.csv",
    content: csv(row(0, "s", "/")),
    select: "row, tim AS time, url AS page_url",
  });
  await expect(wrong).rejects.toThrow("tim");
  await expect(wrong).rejects.toMatchObject({
    hint: expect.stringContaining("time, session, visitor, url, referrer"),
  });
});

test("times are those of ISO 8601 or since 1970, that exist", async () => {
  const times = [
    "2026-07-05T09:00:00+25:00",
    "2026-07-05T09:00:00+02:75",
    "2026-07-05T09:00:00+02:00",
    "2026-02-30 09:00:00",
    "25:00",
    "1538352117",
    "1538352117.5",
    "1538352117000",
    "1538352117000000000",
    "2026-07-05",
    "2026-07-05 09:00:00 UTC",
    "-",
    "1970-01-01 00:00:00",
  ];
  const content = ["t,s", ...times.map((time, index) => `${time},s${index}`), ""].join("\n");
  const { out, account } = await imported("times", {
    name: "in.csv",
    content,
    select: "row, t AS time, s AS session_id, 'pageview' AS event_type",
  });
  expect(sortedBy(out, "browser", "event_timestamp")).toEqual([
    "2018-10-01 00:01:57.000000",
    "2018-10-01 00:01:57.000000",
    "2018-10-01 00:01:57.000000",
    "2018-10-01 00:01:57.500000",
    "2026-07-05 00:00:00.000000",
    "2026-07-05 07:00:00.000000",
    "2026-07-05 09:00:00.000000",
  ]);
  expect(account.rejected).toEqual({
    "no readable time": 5,

    "time outside 2000 to 2099": 1,
  });
});

test("each row is an event, an equal row, a repeated id, rejected or skipped", async () => {
  const content =
    "id,t,s,kind\n1,2026-07-05 09:00:00,a,x\n1,2026-07-05 09:00:00,a,x\n1,2026-07-05 09:05:00,a,x\n2,never,a,x\n3,2026-07-05 09:00:00,a,ping\n4,2026-07-05 09:00:00,a,gone\n5,2026-07-05 09:00:00,b,toString\n";
  const select =
    "-- source: test\n\nSELECT row, id AS event_id, t AS time, s AS session_id, kind AS event_type, if(kind = 'ping', 'a ping', '') AS skipped FROM input WHERE kind != 'gone'";
  const { account, out } = await imported("account", { name: "in.csv", content, select });
  expect(account).toMatchObject({
    events: 2,
    equal: 1,
    repeated: 1,
    further: 0,
    rejected: { "no readable time": 1 },
    skipped: { "a ping": 1, "left out by the SELECT": 1 },
    files: [{ rows: 7 }],
  });
  expect(sortedBy(out, "browser", "event_type")).toEqual(["toString", "x"]);
  const listed = readFileSync(join(out, "rejected.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(listed).toMatchObject([
    {
      row: 4,
      reason: "no readable time",
      detail: "never",
      content: expect.stringContaining('"never"'),
    },
  ]);
});

test("a value of an order that is none stays a property, and is warned of; less than 0 is a refund", async () => {
  const rows = ["a,12.5,usd", "b,-3,EUR", "c,many,€"];
  const { out, warnings } = await imported("orders", {
    name: "in.csv",
    content: ["time,s,v,c", ...rows.map((one) => `2026-07-05 09:00:00,${one}`), ""].join("\n"),
    select: "row, time, s AS session_id, v AS order_value, c AS currency, 'purchase' AS event_type",
  });
  const facts = messages(out, "browser").map((one) => [
    one.currency,
    one.order_value,
    one.properties,
  ]);
  expect(facts.sort()).toEqual([
    ["", null, { session_id: "c", order_value: "many", currency: "€" }],
    ["EUR", 3, { session_id: "b" }],
    ["USD", 12.5, { session_id: "a" }],
  ]);
  expect(sortedBy(out, "browser", "event_type")).toEqual(["purchase", "purchase", "refund"]);
  expect(warnings.join()).toContain("1 row has an order_value or a currency that is none");
});

test("lines within a value are warned of, because two quotes that are not closed swallow rows", async () => {
  const content = csv(
    row(0, "s1", "/a", '"best shoes'),
    row(1, "s2", "/b"),
    row(2, "s3", "/c", '"'),
  );
  const { warnings } = await imported("swallowed", { name: "in.csv", content });
  expect(warnings.join()).toMatch(/2 lines are within values, first in row 1/);
});

test.each([
  ["semicolon.csv", "time;s;u\n2026-07-05 09:00:00;a;/a\nshort;row\n2026-07-05 09:00:00;b;/b\n"],
  [
    "windows.tsv",
    "time\ts\tu\r\n2026-07-05 09:00:00\ta\t/a\r\nshort\trow\r\n2026-07-05 09:00:00\tb\t/b\r\n",
  ],
  [
    "cut.jsonl",
    '{"time":"2026-07-05 09:00:00","s":"a","u":"/a"}\n{"time":"2026-07-05 09:00:00","s":"b","u":"/b"}\n{"time":"2026',
  ],
])("one damaged row of %s is rejected, the others are events", async (name, content) => {
  const select = "row, time, s AS session_id, u AS page_url";
  const { account, rejected } = await imported(name, { name, content, select });
  expect(account).toMatchObject({ events: 2, rejected: { "unreadable row": 1 } });
  expect(rejected[0]?.detail).not.toBe("");
});

test("a first line of values is no header", async () => {
  const content = "2026-07-05 09:00:00\ts1\thttps://shop.example.com/\n";
  await expect(imported("headless", { name: "in.tsv", content })).rejects.toThrow(
    "the first line is no header",
  );
});

test("a key of several parts is empty if one is a placeholder; a sign for no value is no event type", async () => {
  const content =
    "time,v,n,e,u\n2026-07-05 09:00:00,NULL,1,-,/a\n2026-07-06 09:00:00,NULL,1,NULL,/a\n2026-07-05 09:00:00,v,-1,-,-\n";
  const select =
    "row, time, v AS visitor_id, key_of([v, n]) AS session_id, e AS event_type, u AS page_url";
  const { account, out } = await imported("parts", { name: "in.csv", content, select });
  expect(account.rejected).toEqual({ "neither page_url nor event_type": 1 });
  expect(sortedBy(out, "browser", "event_type")).toEqual(["pageview", "pageview"]);
  expect(new Set(messages(out, "browser").map((one) => one.click_id)).size).toBe(2);
});

/** Rows of a query that calls functions of an import. */
const withFunctions = (query: string, parameters?: Record<string, unknown>) =>
  withTemporaryWorkspace(async (db) => {
    for (const statement of readStatements("import/functions.sql")) await db.run(statement);
    return db.rows(query, parameters);
  });

test("a time that a change of the clock skips is none", async () => {
  const content = "time,s\n29.03.2026 02:30,a\n29.03.2026 03:30,b\n";
  const select =
    "row, time_by(time, 'dd.MM.yyyy HH:mm', 'Europe/Berlin') AS time, s AS session_id, 'pageview' AS event_type";
  const { account, out } = await imported("clock", { name: "in.csv", content, select });
  expect(account.rejected).toEqual({ "no readable time": 1 });
  const iso = await imported("iso-clock", {
    name: "in.csv",
    content: "time,s\n2026-03-29 02:30:00,a\n2026-03-29T02:30:00+01:00,b\n",
    select: select.replace("time_by(time, 'dd.MM.yyyy HH:mm',", "time_in(time,"),
  });
  expect(sortedBy(iso.out, "browser", "event_timestamp")).toEqual(["2026-03-29 01:30:00.000000"]);
  expect(sortedBy(out, "browser", "event_timestamp")).toEqual(["2026-03-29 01:30:00.000000"]);
});

test("an hour that comes twice, because clocks go back, is the first", async () => {
  // Berlin goes back from 03:00 (UTC+2) to 02:00 (UTC+1) on 25 October, New York from 02:00 (UTC-4) to 01:00 on 1 November.
  const [times] = await withFunctions(
    `SELECT time_in('2026-10-25 02:30', 'Europe/Berlin') AS berlin,
       time_by('25.10.2026 02:30', 'dd.MM.yyyy HH:mm', 'Europe/Berlin') AS berlin_by,
       time_in('2026-11-01 01:30', 'America/New_York') AS york,
       time_by('11/1/2026 1:30 AM', 'M/d/yyyy h:mm a', 'America/New_York') AS york_by`,
  );
  expect(times).toEqual({
    berlin: "2026-10-25 00:30:00.000000",
    berlin_by: "2026-10-25 00:30:00.000000",
    york: "2026-11-01 05:30:00.000000",
    york_by: "2026-11-01 05:30:00.000000",
  });
});

test.each([
  // Berlin is two hours ahead of UTC in July.
  ["05.07.2026 09:00:00.123", "dd.MM.yyyy HH:mm:ss.SSS", "07:00:00.123000"],
  ["05.07.2026 09:00:00,123456", "dd.MM.yyyy HH:mm:ss,SSSSSS", "07:00:00.123456"],
  ["7/5/2026 9:00:00.1 PM", "M/d/yyyy h:mm:ss.SSS a", "19:00:00.100000"],
  ["2026/07/05 09:00:00.123456789", "yyyy/MM/dd HH:mm:ss.SSSSSSSSS", "07:00:00.123456"],
  ["20260705090000123", "yyyyMMddHHmmssSSS", "07:00:00.123000"],
  ["05/Jul/2026:09:00:00 +0100", "dd/MMM/yyyy:HH:mm:ss Z", "08:00:00.000000"],
])("%s in the pattern %s keeps its fraction and its offset", async (text, pattern, time) => {
  const [read] = await withFunctions(
    `SELECT time_by('${text}', '${pattern}', 'Europe/Berlin') AS time`,
  );
  expect(read).toEqual({ time: `2026-07-05 ${time}` });
});

test("the own site is that of any page, or named in the header", async () => {
  const content = csv(
    row(0, "s1", "https://www.shop.example.com/"),
    row(1, "s2", "/cart", "https://shop.example.com/"),
  );
  const { out } = await imported("own-site", { name: "in.csv", content });
  expect(pages(out)[1]?.referer_medium).toBe("internal");
  const paths = csv(row(0, "s1", "/"), row(1, "s2", "/cart", "https://shop.example.com/"));
  const select = `-- hosts: [example.com]\n\nSELECT ${COLUMNS} FROM input`;
  const named = await imported("own-paths", { name: "in.csv", content: paths, select });
  expect(pages(named.out)[1]?.referer_medium).toBe("internal");
  const address = select.replace("example.com", '"https://www.example.com/"');
  const linked = await imported("own-link", { name: "in.csv", content: paths, select: address });
  expect(pages(linked.out)[1]?.referer_medium).toBe("internal");
});

test("a page of a search, mail or social site has that site as an internal referrer", async () => {
  const own = [
    ["https://www.google.com/search", "https://www.google.com/"],
    ["https://google.com:8443/search", "HTTPS://WWW.Google.COM:443/"],
    ["www.google.com/search", "https://www.google.com.:8080/"],
    ["https://user:pw@docs.google.com/d", "https://mail.google.com/"],
    ["//m.facebook.com/", "www.facebook.com/a"],
    ["https://t.co/a", "https://t.co/b"],
  ];
  const rows = own.map(([url = "", referrer], index) => row(index, `s${index}`, url, referrer));
  const { out } = await imported("own-search", { name: "in.csv", content: csv(...rows) });
  expect(pages(out).map((page) => page.referer_medium)).toEqual(Array(6).fill("internal"));
  const paths = csv(
    row(0, "s0", "/search", "https://www.google.com/"),
    row(1, "s1", "/search", "HTTP://GOOGLE.com:8080/a"),
    row(2, "s2", "/search", "https://www.bing.com/"),
  );
  const select = `-- hosts: ["WWW.google.com:8080"]\n\nSELECT ${COLUMNS} FROM input`;
  const named = await imported("own-hosts", { name: "in.csv", content: paths, select });
  expect(pages(named.out).map((page) => page.referer_medium)).toEqual([
    "internal",
    "internal",
    "search",
  ]);
});

test("a site without a registered name is the host, that of an app its scheme", async () => {
  const own = [
    ["http://localhost:3000/a", "http://localhost:8080/"],
    ["https://[2001:db8::1]/a", "https://[2001:DB8::1]:8080/"],
    ["https://user:pw@192.0.2.1/a", "http://192.0.2.1/"],
    ["myapp://home", "myapp://start"],
    ["/", "http://[2001:db8::2]/"],
  ];
  const rows = own.map(([url = "", referrer], index) => row(index, `s${index}`, url, referrer));
  const { out } = await imported("hosts", { name: "in.csv", content: csv(...rows) });
  expect(pages(out).map((page) => page.referer_medium)).toEqual([
    ...Array(4).fill("internal"),
    "referral",
  ]);
});

test("files appended without a header keep funnel and zone of the data set", async () => {
  const select = `-- timezone: Europe/Berlin\n\nSELECT ${COLUMNS} FROM input`;
  await imported("kept", { name: "1.csv", content: csv(row(0, "s1", "/home")), select });
  const { out } = await imported("kept", {
    name: "2.csv",
    content: csv(row(1, "s1", "/cart")),
    append: true,
  });
  expect(JSON.parse(readFileSync(join(out, "site.json"), "utf8"))).toEqual({
    timezone: "Europe/Berlin",
  });
});

test("a row may give several events", async () => {
  const content =
    '{"s":"a","hits":[{"t":"2026-07-05 09:00:00","p":"/a"},{"t":"2026-07-05 09:01:00","p":"/b"}]}\n';
  const select =
    "-- source: test\n\nSELECT row, s AS session_id, JSONExtractString(hit, 't') AS time, JSONExtractString(hit, 'p') AS page_url FROM input ARRAY JOIN JSONExtractArrayRaw(hits) AS hit";
  const { account, out } = await imported("hits", { name: "in.jsonl", content, select });
  expect(account).toMatchObject({ events: 2, further: 1, files: [{ rows: 1 }] });
  expect(pages(out).map((page) => page.page_url_path)).toEqual(["/a", "/b"]);
});

test("a name in a SELECT is the file's column, also if another column gets that name", async () => {
  const { out } = await imported("swapped", {
    name: "in.csv",
    content: "time,visit_id,session_id\n2026-07-05 09:00:00,v1,s1\n2026-07-05 09:00:00,v2,s1\n",
    select: "row, time, visit_id AS session_id, session_id AS visitor_id, 'pageview' AS event_type",
  });
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(["s1", "s1"]);
});

test("Parquet with nested and absent values is read", async () => {
  const file = join(dir, "in.parquet");
  await withTemporaryWorkspace((db) =>
    db.run(
      `INSERT INTO FUNCTION file('${file}', Parquet)
       SELECT toDateTime64('2026-07-05 09:00:00.5', 3, 'UTC') AS t, NULL::Nullable(String) AS s, 7::UInt64 AS v, [('page', '/a')]::Array(Tuple(key String, value String)) AS p`,
    ),
  );
  const { out, account } = await imported("parquet", {
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
  const people = await importFiles([file], source, { dir: out, skipsBots: true });
  expect(people.account).toMatchObject({ events: 4, skipped: { "a bot": 1 } });
  expect(people.warnings.join()).not.toContain("bots");
});

test("a file that is packed, or has a column row, is refused with the reason", async () => {
  const packed = imported("packed", { name: "in.csv", content: gzipSync(csv(row(0, "s", "/"))) });
  await expect(packed).rejects.toMatchObject({
    hint: expect.stringMatching(/^rename it: \S+\/in\.csv\.gz$/),
  });
  const content = "row,time,url\n1,2026-07-05 09:00:00,/\n";
  await expect(imported("own-row", { name: "in.csv", content })).rejects.toThrow('column "row"');
});

test("equal rows of two data sets are two events", async () => {
  const { out } = await imported("first", { name: "in.csv", content: csv(row(0, "s", "/")) });
  const source = readSource(join(dir, "first", "select.sql"));
  const other = join(dir, "first", "other");
  await importFiles([join(dir, "first", "in.csv")], source, { dir: other });
  const [one, two] = [out, other].map((set) => messages(set, "browser")[0]?.event_id);
  expect(one).not.toBe(two);
});

test("text of another encoding is refused with its row", async () => {
  const content = Buffer.from(csv(row(0, "s", "/"), row(1, "s", "/gr\u00fcn")), "latin1");
  await expect(imported("latin", { name: "in.csv", content })).rejects.toThrow(
    "is not UTF-8 in row 2",
  );
});

test("rows are equal if their files have the columns in another order", async () => {
  const content = "visitor,url,session,time,referrer\nvs1,/,s1,2026-07-05T09:00:00Z,\n";
  await imported("order", { name: "1.csv", content: csv(row(0, "s1", "/")) });
  const { account } = await imported("order", { name: "2.csv", content, append: true });
  expect(account).toMatchObject({ events: 1, equal: 1 });
});

test("referrers are read by their kind", async () => {
  const kinds = {
    "https://www.amazon.de/x": "shopping",
    "/1": "internal",
    "about:blank": "direct",
    "file:///home/me/index.html": "direct",
  };
  const { out } = await imported("kinds", {
    name: "in.csv",
    content: csv(...Object.keys(kinds).map((referrer, at) => row(at, "s1", "/a", referrer))),
  });
  expect(pages(out).map((page) => page.referer_medium)).toEqual(Object.values(kinds));
});

test("a row that the source leaves out needs no time, and a SELECT may end with a comment", async () => {
  const { account } = await imported("left-out", {
    name: "in.csv",
    content: csv(row(0, "s1", "/a"), "none,s1,v1,/health,"),
    select: `SELECT ${COLUMNS}, if(url = '/health', 'a check', '') AS skipped FROM input; -- end`,
  });
  expect(account).toMatchObject({ events: 1, rejected: {}, skipped: { "a check": 1 } });
});

test("sessions computed slice by slice are those computed at once", async () => {
  const file = join(dir, "slices.csv");
  const rows = Array.from({ length: 200 }, (_, at) => {
    const minute = String(at % 60).padStart(2, "0");
    return `2026-07-05T0${1 + (at % 9)}:${minute}:00Z,,v${at % 40},/${at % 7},`;
  });
  writeFileSync(file, csv(...rows));
  writeFileSync(`${file}.sql`, `SELECT ${COLUMNS} FROM input`);
  const source = readSource(`${file}.sql`);
  const sets = [join(dir, "whole", "slices"), join(dir, "sliced", "slices")] as const;
  await importFiles([file], source, { dir: sets[0] });
  await importFiles([file], source, { dir: sets[1], rowsAtOnce: 10 });
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

test("appended files keep the hosts of earlier ones", async () => {
  const select = `SELECT ${COLUMNS} FROM input`;
  const own = "https://shop.example/";
  const one = { name: "1.csv", content: csv(row(0, "s1", "/a", own)) };
  await imported("hosts", { ...one, select: `-- hosts: [shop.example]\n\n${select}` });
  const two = { name: "2.csv", content: csv(row(1, "s1", "/b", own)), append: true };
  const { out } = await imported("hosts", { ...two, select });
  expect(sortedBy(out, "location", "referer_medium")).toEqual(["internal", "internal"]);
});

test("files without an event are refused with the first reason", async () => {
  const content = csv("yesterday,s,v,/,");
  await expect(imported("nothing", { name: "in.csv", content })).rejects.toThrow(
    /None of the rows is an event; nothing was written: .*row 1: no readable time yesterday/,
  );
});

test("a column without a name is called by its place, and a name may have blanks", async () => {
  const { account, out } = await imported("unnamed", {
    name: "in.csv",
    content:
      ',time;" url ";\n'.replaceAll(",", ";") +
      "0;2026-07-05 09:00:00;/a;x\n1;2026-07-05 09:00:00;/a;x\n",
    select:
      "row, time, url AS page_url, map('first', `column 1`, 'fourth', `column 4`) AS properties",
  });
  expect(account).toMatchObject({ events: 2, equal: 0 });
  expect(sortedBy(out, "location", "page_url")).toEqual(["/a", "/a"]);
  expect(messages(out, "browser").map((one) => one.properties)).toContainEqual({
    first: "1",
    fourth: "x",
  });
});

test("an amount that ods cannot hold stays a property, and another has four decimals", async () => {
  const { out, warnings } = await imported("large", {
    name: "in.csv",
    content: "time,s,v\n2026-07-05 09:00:00,a,1e20\n2026-07-05 09:00:00,b,1249.99996\n",
    select: "row, time, s AS session_id, v AS order_value, 'purchase' AS event_type",
  });
  expect(sortedBy(out, "browser", "order_value")).toEqual([1250, null]);
  expect(warnings.join()).toContain("1 row has an order_value or a currency that is none");
});

test("an integer of any length is read in JSON, also within an object", async () => {
  const content =
    '{"time":"2026-07-05 09:00:00","session":18446744073709551616123,"user":{"id":18446744073709551616}}\n';
  const { out } = await imported("long", {
    name: "in.jsonl",
    content,
    select: "row, time, session AS session_id, user AS visitor_id, 'pageview' AS event_type",
  });
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(['{"id":18446744073709551616}']);
  expect(messages(out, "browser")[0]?.properties).toEqual({
    session_id: "18446744073709551616123",
  });
});

test("the length of an event type counts characters", async () => {
  const content = `time,e\n2026-07-05 09:00:00,${"ü".repeat(100)}\n2026-07-05 09:00:00,${"x".repeat(101)}\n`;
  const select = "row, time, e AS event_type";
  const { account } = await imported("type-length", { name: "in.csv", content, select });
  expect(account).toMatchObject({
    events: 1,
    rejected: { "event_type of more than 100 characters": 1 },
  });
});

test("keys of parts with blanks do not collide", async () => {
  const { out } = await imported("keys", {
    name: "in.csv",
    content: "time,v,n\n2026-07-05 09:00:00,c 1,1\n2026-07-05 09:00:00,c,1 1\n",
    select: "row, time, v AS visitor_id, key_of([v, n]) AS session_id, 'pageview' AS event_type",
  });
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(["c", "c 1"]);
});

test("a row is equal to one of a file that lacks an empty column", async () => {
  const first = "2026-07-05 09:00:00,a,/a";
  const select = `-- optional: [campaign]\n\nSELECT row, time, s AS session_id, u AS page_url, campaign AS utm_campaign FROM input`;
  await imported("lacking", { name: "1.csv", content: `time,s,u\n${first}\n`, select });
  const content = `time,s,u,campaign\n${first},\n2026-07-05 09:01:00,a,/b,x\n`;
  const two = { name: "2.csv", content, select, append: true };
  expect((await imported("lacking", two)).account).toMatchObject({ events: 2, equal: 1 });
});

test("a written SELECT knows names of Amplitude, and keys by the name of their object", async () => {
  const content =
    '{"event":{"name":"[Amplitude] Page Viewed"},"event_id":1,"uuid":"u-1","event_time":"2026-07-05 09:00:00","event_properties":{"[Amplitude] Page URL":"/a"}}\n';
  const { select, out } = await started("amplitude", "in.jsonl", content);
  expect(select).toContain("`uuid` AS event_id");
  expect(pages(out)[0]?.page_url_path).toBe("/a");
  expect(sortedBy(out, "browser", "event_type")).toEqual(["pageview"]);
});

test("lines that end with CR alone are refused with the way to convert them", async () => {
  const content = csv(row(0, "s", "/")).replaceAll("\n", "\r");
  await expect(imported("cr", { name: "in.csv", content })).rejects.toThrow(
    "its lines end with CR alone",
  );
});

test("a property that is NULL is left out", async () => {
  const { out } = await imported("null-property", {
    name: "in.csv",
    content: csv(row(0, "s", "/")),
    select: `${COLUMNS}, map('a', nullIf(url, '/'), 'b', url) AS properties`,
  });
  expect(messages(out, "browser")[0]?.properties).toEqual({ b: "/", session_id: "s" });
});

/** Writes the SELECT for a file, and imports the file with it. */
async function started(set: string, name: string, content: string) {
  mkdirSync(join(dir, set), { recursive: true });
  const file = join(dir, set, name);
  writeFileSync(file, content);
  const select = await starterSelect(file);
  return { select, ...(await imported(set, { name, content, select })) };
}

test("a written SELECT reads American dates by the pattern that fits all rows", async () => {
  const { select, out } = await started(
    "us",
    "in.csv",
    "time,session,url\n05/07/2026 09:00,s1,/a\n07/13/2026 09:00,s1,/b\n",
  );
  expect(select).toContain("'MM/dd/yyyy HH:mm'");
  expect(sortedBy(out, "browser", "event_timestamp")).toEqual([
    "2026-05-07 09:00:00.000000",
    "2026-07-13 09:00:00.000000",
  ]);
});

test("a written SELECT reads German names, times and amounts, also if one time is damaged", async () => {
  const { select, out, account } = await started(
    "german",
    "in.csv",
    `Zeitpunkt;Sitzung;Kunde;Ereignis;Seite;Betrag;Währung;Filiale
31.07.2026 23:58:10;s1;k1;Kauf;/kasse;1.249,90;EUR;Köln
32.08.2026 10:00:00;s2;k2;view;/;;;Köln
01.08.2026 10:00:00;s2;k2;view;/;;;Köln
`,
  );
  expect(select).toContain("-- Of unknown names, and so only properties: Filiale");
  expect(account).toMatchObject({ events: 2, rejected: { "no readable time": 1 } });
  expect(sortedBy(out, "browser", "order_value")).toEqual([1249.9, null]);
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(["k1", "k2"]);
});

test("an amount is read with separators of thousands and signs of currencies", async () => {
  const amounts = {
    "1.249,90": "1249.90",
    "$1,249.90": "1249.90",
    "1,249": "1249",
    "12,5 €": "12.5",
    "1'249.90 CHF": "1249.90",
    "1.249.000": "1249000",
    "1.234,567": "1234.567",
    "0,500": "0.500",
    "1\u202f249,90 \u20ac": "1249.90",
    "1\u00a0249": "1249",
    "CHF 1\u2019249.90": "1249.90",
    "\u20bd100": "100",
    "R$ 12,50": "12.50",
    "-3.50": "-3.50",
    "12 or 13": "12 or 13",
    "(5.00)": "(5.00)",
    "\u22125,00": "\u22125,00",
    "1.2k": "1.2k",
  };
  const texts = Object.keys(amounts);
  const found = await withFunctions(
    "SELECT arrayMap(text -> amount_of(text), {texts:Array(String)}) AS read",
    { texts },
  );
  expect(found).toEqual([{ read: Object.values(amounts) }]);
});

test("a written SELECT reads keys of nested JSON", async () => {
  const content =
    '{"event":"view","properties":{"time":1783242000,"distinct_id":"v1","$current_url":"/a","plan":"pro"}}\n';
  const { select, out } = await started("nested", "in.jsonl", content);
  expect(select).toContain("-- Of unknown names, and so only properties: plan");
  expect(pages(out)[0]?.page_url_path).toBe("/a");
  expect(sortedBy(out, "browser", "event_timestamp")).toEqual(["2026-07-05 09:00:00.000000"]);
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(["v1"]);
});

test("a written SELECT reads a day and a time of day in two columns", async () => {
  const content = "Datum;Uhrzeit;Sitzung;Seite\n05.07.2026;09:00;s1;/a\n";
  const { out } = await started("two-columns", "in.csv", content);
  expect(sortedBy(out, "browser", "event_timestamp")).toEqual(["2026-07-05 09:00:00.000000"]);
});

test("a written SELECT takes no date of digits for seconds since 1970", async () => {
  const content = "time,session,url\n20260705090000,s1,/a\n";
  const { out } = await started("digits", "in.csv", content);
  expect(sortedBy(out, "browser", "event_timestamp")).toEqual(["2026-07-05 09:00:00.000000"]);
});

test("a written SELECT names the other patterns that fit", async () => {
  const { select } = await started(
    "ambiguous",
    "in.csv",
    "time,session,url\n05/07/2026 09:00,s1,/a\n",
  );
  expect(select).toContain("also read as: time_by(present(`time`), 'dd/MM/yyyy HH:mm', 'UTC')");
});

test("a written SELECT knows the names of purchases, and takes no repeated value for an id", async () => {
  const names = [
    "border_click",
    "wholesale_view",
    "Order Viewed",
    "transaction",
    "checkout_completed",
    "Order Completed",
    "page_view",
  ];
  const { out, account } = await started(
    "names",
    "in.csv",
    [
      "id,time,session,event",
      ...names.map((name, index) => `v1,2026-07-05 09:00:0${index},s1,${name}`),
      "",
    ].join("\n"),
  );
  expect(account).toMatchObject({ events: 7, repeated: 0 });
  expect(
    messages(out, "browser")
      .map((one) => one.event_type)
      .sort(),
  ).toEqual([
    "Order Viewed",
    "border_click",
    "pageview",
    "purchase",
    "purchase",
    "purchase",
    "wholesale_view",
  ]);
});

test("a written SELECT is that of the source whose columns the file has", async () => {
  const { select } = await started(
    "known",
    "in.csv",
    "event_time,event_type,product_id,category_id,category_code,brand,price,user_id,user_session\n2019-10-01 00:00:00 UTC,view,1,2,,b,3.5,u,s\n",
  );
  expect(select).toContain("-- source: eCommerce behavior data");
});

const ORDER =
  "row, time, v AS visitor_id, e AS event_type, o AS order_id, value AS order_value, 'EUR' AS currency";
const orders = (...rows: string[]): string =>
  ["time,v,e,o,value", ...rows.map((one) => `2026-07-05 ${one}`), ""].join("\n");
const money = (out: string): string[] =>
  messages(out, "browser")
    .map((one) => [one.event_type, one.order_value].join(" "))
    .sort();

test("of the purchases of an order the first counts, and every refund", async () => {
  const content = orders(
    "09:00:00,a,purchase,T-1,59.8",
    "09:01:00,a,purchase,T-1,59.8",
    "09:01:00,a,purchase,T-1,59.8",
    "09:02:00,a,refund,T-1,20",
    "09:03:00,a,refund,T-1,-9.8",
    "09:04:00,a,purchase,,5",
    "09:05:00,a,purchase,,5",
  );
  const one = { name: "in.csv", content, select: ORDER };
  const { out, account, warnings } = await imported("order-again", one);
  expect(money(out)).toEqual([
    "purchase 5",
    "purchase 5",
    "purchase 59.8",
    "refund 20",
    "refund 9.8",
  ]);
  expect(account).toMatchObject({ events: 5, skipped: { "an order again": 2 } });
  expect(warnings.join()).not.toContain("orders");
  // An earlier purchase of the order that a later file has is the one that counts.
  const two = {
    ...one,
    name: "2.csv",
    content: orders("08:00:00,a,purchase,T-1,60"),
    append: true,
  };
  expect(money((await imported("order-again", two)).out)).toContain("purchase 60");
});

test("an order of several values or visitors is warned of, and so is a repeated property of an order", async () => {
  const content = orders(
    "09:00:00,a,purchase,T-1,10",
    "09:01:00,a,purchase,T-1,20",
    "09:00:00,a,purchase,T-2,7",
    "09:00:00,b,purchase,T-2,7",
  );
  const one = { name: "in.csv", content, select: ORDER };
  const { out, warnings } = await imported("order-values", one);
  expect(money(out)).toEqual(["purchase 10", "purchase 7", "purchase 7"]);
  expect(warnings.join()).toContain("orders with several values: 1, such as T-1");
  expect(warnings.join()).toContain("orders with several visitors: 1, such as T-2");
  const select = `${ORDER.replace("o AS order_id, ", "")}, map('Transaction ID', o) AS properties`;
  const bare = await imported("order-property", { ...one, select });
  expect(bare.account.events).toBe(4);
  expect(bare.warnings.join()).toMatch(
    /purchases repeat their property Transaction ID: 2, such as T-[12]; as order_id/,
  );
});

test("purchases and refunds of several currencies are warned of, because sums mix them", async () => {
  const content = orders("09:00:00,a,purchase,USD,10", "09:01:00,a,refund,EUR,5");
  const select = ORDER.replace("o AS order_id", "o AS currency").replace(", 'EUR' AS currency", "");
  const { warnings } = await imported("currencies", { name: "in.csv", content, select });
  expect(warnings.join()).toContain("purchases and refunds in several currencies: EUR, USD;");
});

test("equal rows that carry money are warned of, unless an id says that they are one", async () => {
  const content = orders("09:00:00,a,purchase,T-1,9.9", "09:00:00,a,purchase,T-1,9.9");
  const select = ORDER.replace("o AS order_id, ", "");
  const one = { name: "in.csv", content, select };
  const { account, warnings } = await imported("equal-money", one);
  expect(account).toMatchObject({ events: 1, equal: 1 });
  expect(warnings.join()).toContain("equal rows with money: 1, such as an order_value of 9.9");
  for (const id of ["event_id", "order_id"]) {
    const known = await imported(`equal-${id}`, { ...one, select: `${select}, o AS ${id}` });
    expect(known.account).toMatchObject({ events: 1, equal: 1 });
    expect(known.warnings.join()).not.toContain("money");
  }
});

test("0 is an id, also in a key, unless the SELECT says that it is none; values taken as none are counted", async () => {
  const content =
    "time,v,n,a\n2026-07-05 09:00:00,0,0,-1\n2026-07-05 09:10:00,0,1,-1\n2026-07-05 09:00:00,1,0,0\n2026-07-05 09:00:00,NULL,1,7\n";
  const select =
    "row, time, v AS visitor_id, key_of([v, n]) AS session_id, nullIf(a, '0') AS account_id, 'pageview' AS event_type";
  const one = { name: "in.csv", content, select };
  const { out, warnings } = await imported("zero", one);
  expect(messages(out, "device")).toHaveLength(4);
  expect(
    messages(out, "device")
      .map((each) => [each.user_custom_id, each.user_domain_id === null])
      .sort(),
  ).toEqual([
    ["0", true],
    ["0", true],
    ["1", true],
    ["7", false],
  ]);
  expect(warnings).toContain(
    "taken as no id: account_id -1 (2 rows), session_id NULL (1 row), visitor_id NULL (1 row)",
  );
  const nullable = select.replace("[v, n]", "[nullIf(v, '0'), n]");
  const without = await imported("no-zero", { ...one, select: nullable });
  // The visitor's two rows are one session, because a pause separates sessions without an id.
  expect(messages(without.out, "device")).toHaveLength(3);
});

test("events without a page view are warned of with their types", async () => {
  const content = "time,e,u\n2026-07-05 09:00:00,false,/home\n2026-07-05 09:01:00,true,/home\n";
  const select = "row, time, e AS event_type, u AS page_url";
  const { warnings } = await imported("no-views", { name: "in.csv", content, select });
  expect(warnings.join()).toContain("no event is a page view; event types: false, true; give");
  const paged = { name: "in.csv", content, select: select.replace("e AS", "'pageview' AS") };
  expect((await imported("views", paged)).warnings.join()).not.toContain("page view");
});

test("a written SELECT reads the form of Mixpanel", async () => {
  const event = (name: string, id: string, more: object) =>
    JSON.stringify({
      event: name,
      properties: { time: 1783242000, distinct_id: "$device:d1", $insert_id: id, ...more },
    });
  const order = event("Order Completed", "i2", { revenue: 19.9, currency: "EUR" });
  const view = event("$mp_web_page_view", "i1", { $current_url: "https://shop.example.com/home" });
  const { out, account, select } = await started(
    "mixpanel",
    "in.jsonl",
    `${[view, order, order].join("\n")}\n`,
  );
  expect(account).toMatchObject({ events: 2 });
  expect(money(out)).toEqual(["pageview ", "purchase 19.9"]);
  expect(sortedBy(out, "device", "user_custom_id")).toEqual(["$device:d1"]);
  // An id that only equal rows repeat is one.
  expect(select).toContain("['$insert_id'] AS event_id");
});

test("a written SELECT finds visitor, screen, order and amount in objects of objects, and writes a key once", async () => {
  const content = `${[
    {
      ts: "2026-07-05 09:00:00",
      type: "view",
      data: {
        visitor: { id: "v1" },
        screen: { name: "Home" },
        item: { id: "i1", color: "red" },
        shop: { color: "blue" },
      },
    },
    {
      ts: "2026-07-05 09:01:00",
      type: "order",
      data: { visitor: { id: "v1" }, screen: { name: "Done" }, order: { id: "o1", amount: 12.5 } },
    },
    {
      ts: "2026-07-05 09:02:00",
      type: "order",
      data: { visitor: { id: "v1" }, screen: { name: "Done" }, order: { id: "o1", amount: 12.5 } },
    },
  ]
    .map((one) => JSON.stringify(one))
    .join("\n")}\n`;
  const { select, out } = await started(
    "objects",
    "in.jsonl",
    content.replaceAll('"type"', '"event"'),
  );
  expect(select).toMatch(/\['visitor'\]\)\['id'\] AS visitor_id/);
  expect(pages(out).map((page) => page.page_url_path)).toEqual(["/Home", "/Done"]);
  expect(money(out)).toEqual(["pageview ", "purchase 12.5"]);
  expect(messages(out, "browser").map((one) => one.properties)).toContainEqual({
    id: "i1",
    "data.item.color": "red",
    "data.shop.color": "blue",
  });
});

test("a written SELECT takes no items for an order, and no size of a screen for a page", async () => {
  const content =
    "time,visitor,event,order_id,total,screen\n2026-07-05 09:00:00,v,purchase,o1,5,390x844\n2026-07-05 09:00:00,v,purchase,o1,7,390x844\n";
  const { select, out } = await started("items", "in.csv", content);
  expect(select).toContain("-- Rows of one order have several values");
  expect(money(out)).toEqual(["purchase 5", "purchase 7"]);
  expect(pages(out).map((page) => page.page_url)).toEqual(["", ""]);
});
