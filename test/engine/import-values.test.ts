import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withTemporaryWorkspace } from "../../warehouse/database/open.ts";
import { readStatements } from "../../warehouse/sql.ts";
import { imported, messages, pages, sortedBy } from "../support/own-data.ts";

const DAY = "2026-07-05T";

/** Events of one session each, of pages with these parameters or referrers. */
const sourcesOf = async (
  set: string,
  rows: readonly (readonly [url: string, referrer: string])[],
) => {
  const lines = rows.map(([url, referrer], n) => `${DAY}09:00:${10 + n}Z,s${n},${url},${referrer}`);
  const { out } = await imported(set, {
    name: "in.csv",
    content: `time,s,url,referrer\n${lines.join("\n")}\n`,
    select: "row, time, s AS session_id, url AS page_url, referrer AS referer_url",
  });
  return pages(out).map((page) =>
    [page.referer_medium, page.utm_source, page.utm_medium].join(" "),
  );
};

test("a pause of 30 minutes continues a session, a longer one begins the next", async () => {
  const times = ["09:00:00", "09:30:00", "10:00:00.000001"];
  const { out } = await imported("half-hours", {
    name: "in.csv",
    content: `time,v\n${times.map((time) => `${DAY}${time}Z,v1\n`).join("")}`,
    select: "row, time, v AS visitor_id, 'pageview' AS event_type",
  });
  const sessions = messages(out, "browser").map(({ click_id }) => click_id);
  expect(sessions[1]).toBe(sessions[0]);
  expect(sessions[2]).not.toBe(sessions[1]);
});

test("the header session_pause says which pause ends a session, also in the data set's site", async () => {
  const times = ["09:00:00", "09:20:00", "09:40:00.000001"];
  const { out } = await imported("short-pause", {
    name: "in.csv",
    content: `time,v\n${times.map((time) => `${DAY}${time}Z,v1\n`).join("")}`,
    select: `-- session_pause: 20

SELECT row, time, v AS visitor_id, 'pageview' AS event_type FROM input`,
  });
  const sessions = messages(out, "browser").map(({ click_id }) => click_id);
  expect(sessions[1]).toBe(sessions[0]);
  expect(sessions[2]).not.toBe(sessions[1]);
  expect(JSON.parse(readFileSync(join(out, "site.json"), "utf8"))).toEqual({ session_pause: 20 });
});

test("each advertiser's parameter names its source and medium", async () => {
  const known = {
    gclid: "google cpc",
    gbraid: "google cpc",
    wbraid: "google cpc",
    dclid: "google cpc",
    msclkid: "bing cpc",
    yclid: "yandex cpc",
    ttclid: "tiktok paid_social",
    twclid: "twitter paid_social",
    li_fat_id: "linkedin paid_social",
    epik: "pinterest paid_social",
    rdt_cid: "reddit paid_social",
    sccid: "snapchat paid_social",
    fbclid: "facebook social",
  };
  const rows = Object.keys(known).map((name) => [`/?a=b&${name}=1`, ""] as const);
  const expected = Object.values(known).map((source) => `direct ${source}`);
  expect(await sourcesOf("advertisers", rows)).toEqual(expected);
});

test("a path as referrer is the own site, an address without a scheme another one", async () => {
  const rows = ["/cart", "/", "//news.example.org/a", "about:blank"].map(
    (from) => ["/", from] as const,
  );
  const media = (await sourcesOf("own-paths", rows)).map((one) => one.trim());
  expect(media).toEqual(["internal", "internal", "referral", "direct"]);
});

test("the first visitor, device, system and place of a session count, by time", async () => {
  const { out } = await imported("first", {
    name: "in.csv",
    content: `time,v,a,d,o,c\n${DAY}09:02:00Z,a1,k1,mobile,Android,FR\n${DAY}09:01:00Z,b2,k2,tablet,iOS,DE\n${DAY}09:00:00Z,,,,,\n`,
    select:
      "row, time, 's' AS session_id, v AS visitor_id, a AS account_id, d AS device, o AS system, c AS country, 'pageview' AS event_type",
  });
  expect(messages(out, "device")).toMatchObject([
    { user_custom_id: "b2", device_type: "Tablet", os: "iOS", os_name: "iOS" },
  ]);
  expect(sortedBy(out, "geo", "geo_country")).toEqual(["DE"]);
});

test("a name of a device says whether it is mobile", async () => {
  const kinds = {
    true: ["Mobile", "Smart Phone", "Tablet", "Android box", "iPad"],
    false: ["Computer", "Desktop PC", "Laptop", "PC", "Smart TV", "Bot"],
    null: ["watch", "-"],
  };
  const named = Object.entries(kinds).flatMap(([kind, names]) =>
    names.map((name) => ({ name, kind: JSON.parse(kind) })),
  );
  const { out } = await imported("devices", {
    name: "in.csv",
    content: `time,s,d\n${named.map(({ name }, n) => `${DAY}09:00:00Z,s${n},${name}\n`).join("")}`,
    select: "row, time, s AS session_id, s AS visitor_id, d AS device, '/a' AS page_url",
  });
  const found = messages(out, "device").map((one) => [one.user_custom_id, one.device_is_mobile]);
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(named.map(({ kind }, n) => [`s${n}`, kind])),
  );
});

test("a session has a geo message if any part of its place is known", async () => {
  const places = ["DE,,,", ",Bavaria,,", ",,48.1,", ",,,192.0.2.1"];
  const { out } = await imported("places", {
    name: "in.csv",
    content: `time,s,c,r,l,ip\n${[...places, ",,,"].map((place, n) => `${DAY}09:00:00Z,s${n},${place}\n`).join("")}`,
    select:
      "row, time, s AS session_id, '/a' AS page_url, c AS country, r AS region, l AS latitude, ip AS ip_address",
  });
  const found = messages(out, "geo").map((one) =>
    [one.geo_country, one.geo_region_name, one.geo_latitude, one.ip_address].join(),
  );
  expect(found.sort()).toEqual(places.sort());
});

test("names of devices, and amounts with a point alone", async () => {
  const names = ["Laptop", "Smartphone", "phablet", "iPad", "Android", "unknown", "watch"];
  const found = await withTemporaryWorkspace(async (db) => {
    for (const statement of readStatements("import/functions.sql")) await db.run(statement);
    return db.rows(
      `SELECT arrayMap(name -> device_of(name), {names:Array(String)}) AS devices,
        arrayMap(text -> amount_of(text), ['1.249', '12.50', '1.249.000']) AS amounts`,
      { names },
    );
  });
  expect(found).toEqual([
    {
      devices: ["Computer", "Mobile", "Mobile", "Tablet", "Mobile", "", "watch"],
      amounts: ["1.249", "12.50", "1249000"],
    },
  ]);
});
