import { readText } from "../../generator/dataset/lines.ts";
import { FIELDS } from "./fields.ts";
import { timeParser } from "./time.ts";

/** Usual column names without case and punctuation, besides the field's own name. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  event_id: ["id", "uuid", "hitid"],
  event_timestamp: [
    "timestamp",
    "time",
    "ts",
    "datetime",
    "eventtime",
    "occurredat",
    "createdat",
    "zeit",
    "zeitpunkt",
    "zeitstempel",
  ],
  event_type: ["event", "type", "eventname", "action"],
  click_id: ["sessionid", "session", "visitid", "visit", "sitzung"],
  browser_name: ["browser"],
  browser_user_agent: ["useragent"],
  browser_language: ["language", "locale"],
  page_url: ["url", "pagelocation", "href"],
  page_url_path: ["path", "page", "pagepath", "urlpath", "seite", "pfad"],
  referer_url: ["referer", "referrer", "referrerurl", "pagereferrer"],
  referer_medium: ["medium"],
  utm_source: ["source"],
  utm_campaign: ["campaign"],
  os_name: ["platform", "operatingsystem"],
  device_type: ["device", "devicecategory", "gert", "geraet"],
  user_custom_id: [
    "visitorid",
    "visitor",
    "clientid",
    "anonymousid",
    "cookieid",
    "userpseudoid",
    "besucher",
  ],
  user_domain_id: ["accountid", "customerid", "userid"],
  geo_latitude: ["latitude", "lat"],
  geo_longitude: ["longitude", "lon", "lng"],
  geo_country: ["country", "countrycode", "land"],
  geo_region_name: ["region", "city"],
  geo_timezone: ["timezone"],
  ip_address: ["ip"],
};

const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Maps each field to the column with a usual name for it. A column serves one field. */
export function guessColumns(columns: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of Object.keys(FIELDS)) {
    const usual = [bare(field), ...(NAMES[field] ?? [])];
    const best = usual
      .map((name) => columns.find((column) => bare(column) === name))
      .find((column) => column !== undefined && !Object.values(found).includes(column));
    if (best !== undefined) found[field] = best;
  }
  return found;
}

const CANDIDATES = [
  "iso",
  "dd.MM.yyyy HH:mm:ss",
  "dd.MM.yyyy HH:mm",
  "dd/MM/yyyy HH:mm:ss",
  "dd/MM/yyyy HH:mm",
  "M/d/yyyy H:mm:ss",
  "M/d/yyyy H:mm",
  "M/d/yyyy h:mm:ss a",
  "M/d/yyyy h:mm a",
  "yyyy/MM/dd HH:mm:ss",
  "yyyyMMddHHmmss",
];

/** Returns the first format that matches the text; `iso` if none matches. */
export function guessTimeFormat(text: string): string {
  const whole = /^(\d+)(?:\.\d+)?$/.exec(text)?.[1]?.length;
  if (whole === 10) return "unix_seconds";
  if (whole === 13) return "unix_milliseconds";
  if (whole === 16) return "unix_microseconds";
  const found = CANDIDATES.find((format) => !Number.isNaN(timeParser(format, "UTC")(text)));
  return found ?? "iso";
}

/** Returns the most frequent separator of the header; undefined for the file ending's usual one. */
export async function guessDelimiter(file: string): Promise<string | undefined> {
  if (!/\.(csv|txt)(\.gz)?$/i.test(file)) return undefined;
  let header = "";
  for await (const text of readText(file)) {
    header = text.split("\n")[0] ?? "";
    break;
  }
  const counts = [",", ";", "\t", "|"].map((sign) => ({ sign, count: header.split(sign).length }));
  const [best] = counts.sort((a, b) => b.count - a.count);
  return best && best.count > 1 && best.sign !== "," ? best.sign : undefined;
}
