import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ServerDatabase } from "../database/http.ts";
import { withTemporaryWorkspace } from "../database/open.ts";
import { readStatements } from "../sql.ts";
import { columnsOf, openInput, quoted, readInput } from "./input.ts";
import { recognise, SOURCES, type Source } from "./source.ts";

/** Usual names of columns without case and signs, by the column of an event. */
const NAMES: Readonly<Record<string, string>> = {
  time: "time timestamp ts datetime eventtime eventtimestamp occurredat createdat date zeit zeitpunkt zeitstempel t",
  event_id: "eventid id uuid hitid messageid",
  session_id: "sessionid session visitid visit usersession sitzung sitzungsid",
  visitor_id:
    "visitorid visitor clientid anonymousid cookieid userpseudoid distinctid deviceid besucher customer kunde kundennummer nutzer user",
  account_id: "accountid account customerid userid userdomainid",
  event_type: "eventtype event type eventname action ereignis aktion",
  page_url: "pageurl url pagelocation href address page pagepath path urlpath pageurlpath seite",
  referer_url: "refererurl referer referrer referrerurl pagereferrer herkunft",
  utm_source: "utmsource source",
  utm_medium: "utmmedium medium",
  utm_campaign: "utmcampaign campaign",
  utm_content: "utmcontent",
  user_agent: "useragent browseruseragent agent",
  browser: "browser browsername",
  system: "system os osname platform operatingsystem",
  device: "device devicetype devicecategory gerät",
  language: "language browserlanguage locale",
  country: "country geocountry countrycode land",
  region: "region georegionname city",
  latitude: "latitude geolatitude lat",
  longitude: "longitude geolongitude lon lng",
  timezone: "timezone geotimezone ostimezone",
  ip_address: "ipaddress ip",
  order_value: "ordervalue revenue total amount purchaserevenue betrag umsatz",
  currency: "currency currencycode währung",
};

const PATTERNS = [
  "dd.MM.yyyy HH:mm:ss",
  "dd.MM.yyyy HH:mm",
  "MM/dd/yyyy HH:mm:ss",
  "MM/dd/yyyy HH:mm",
  "dd/MM/yyyy HH:mm:ss",
  "dd/MM/yyyy HH:mm",
  "M/d/yyyy h:mm:ss a",
  "M/d/yyyy h:mm a",
  "yyyy/MM/dd HH:mm:ss",
  "yyyyMMddHHmmss",
];

/** Functions that read a column. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  event_type: "event_type_of",
  order_value: "amount_of",
};

/** Returns a SELECT for a file: that of a source whose columns it has, or one by the names of its columns. */
export const starterSelect = (file: string): Promise<string> =>
  withTemporaryWorkspace(async (db) => {
    for (const statement of readStatements("import/functions.sql")) await db.run(statement);
    for (const statement of readStatements("import/files.sql")) await db.run(statement);
    const input = openInput(file, 1, join(db.directory ?? "", "links"));
    const ofLines = recognise([], input.firstLine);
    const names = ofLines ? [] : (await columnsOf(db, input)).map(({ name }) => name);
    const known = ofLines ?? recognise(names, "");
    if (known) return readFileSync(join(SOURCES, `${known.name}.sql`), "utf8");
    const all: Source = { name: "", file, select: "", columns: [], optional: [], hosts: [] };
    await readInput(db, [input], all);
    return selectOf(db, basename(file), names);
  });

async function selectOf(
  db: ServerDatabase,
  file: string,
  names: readonly string[],
): Promise<string> {
  const found = guess(names);
  if (found.event_id !== undefined && !(await isUnique(db, found.event_id))) delete found.event_id;
  const isPlain = found.page_url === undefined && found.event_type === undefined;
  const unused = names.filter((name) => !Object.values(found).includes(name));
  const lines = [
    "row",
    ...Object.entries(found)
      .filter(([column]) => column !== "time")
      .map(
        ([column, name]) =>
          `${column in FUNCTIONS ? `${FUNCTIONS[column]}(${quoted(name)})` : quoted(name)} AS ${column}`,
      ),
    ...(isPlain ? ["'pageview' AS event_type"] : []),
    ...(unused.length > 0
      ? [`map(${unused.map((name) => `'${name}', ${quoted(name)}`).join(", ")}) AS properties`]
      : []),
  ];
  const [time, others] = await timeOf(db, found.time);
  return `-- source: ${file}
-- # Time zone of the days and hours of the marts; without it, UTC.
-- # timezone: Europe/Berlin
-- # Stages to the goal of the site, in order, with their pages; without them, those of the demo shop.
-- # funnel:
-- #   - { stage: start, pages: [/] }
-- #   - { stage: article, pages: [/news/*, /video/*] }

-- Check each line. Columns and their meaning: docs/reference/sources.md
SELECT
${[`${time} AS time`, ...lines].map((line) => `    ${line}`).join(",\n")}
FROM input
${unused.length > 0 ? `-- Of unknown names, and so only properties: ${unused.join(", ")}\n` : ""}${others.map((other) => `-- The times also read as: ${other}\n`).join("")}`;
}

const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9äöü]/g, "");

/** A column of the file serves one column of an event, by the first of its usual names. */
function guess(names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [column, usual] of Object.entries(NAMES)) {
    const best = usual
      .split(" ")
      .map((one) => names.find((name) => bare(name) === one))
      .find((name) => name !== undefined && !Object.values(found).includes(name));
    if (best !== undefined) found[column] = best;
  }
  return found;
}

async function isUnique(db: ServerDatabase, column: string): Promise<boolean> {
  const [counts] = await db.rows<{ same: number }>(
    `SELECT count() - uniqExact(${quoted(column)}) AS same FROM input WHERE ${quoted(column)} != ''`,
  );
  return counts?.same === 0;
}

/** Returns the expression that reads the most times as those of events, and others that read as many. Zone: UTC, for the user to change. */
async function timeOf(db: ServerDatabase, column: string | undefined): Promise<[string, string[]]> {
  if (column === undefined) return ["'' /* name the column of the time */", []];
  const text = `present(${quoted(column)})`;
  const candidates = [
    `time_in(${text}, 'UTC')`,
    ...PATTERNS.map((pattern) => `time_by(${text}, '${pattern}', 'UTC')`),
  ];
  const [unread] = await db.rows<{ counts: number[] }>(
    `SELECT [${candidates.map((one) => `countIf(ifNull(${one} < toDateTime64('2000-01-01', 6, 'UTC'), true))`).join(", ")}] AS counts FROM input WHERE ${text} != ''`,
  );
  const { counts = [] } = unread ?? {};
  // A few times may be damaged.
  const fitting = candidates.filter((_, index) => counts[index] === Math.min(...counts));
  const [best = candidates[0] ?? "", ...others] = fitting;
  return [best, others];
}
