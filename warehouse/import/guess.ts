import { readText } from "../../generator/dataset/lines.ts";
import { FIELDS } from "./fields.ts";
import { timeParser } from "./time.ts";

/** Usual names of columns, without case and punctuation; the field's own name is one as well. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  event_id: ["id", "uuid", "hitid"],
  event_timestamp: ["timestamp", "time", "ts", "datetime", "eventtime", "occurredat", "createdat"],
  event_type: ["event", "type", "eventname", "action"],
  click_id: ["sessionid", "session", "visitid", "visit"],
  browser_name: ["browser"],
  browser_user_agent: ["useragent"],
  browser_language: ["language", "locale"],
  page_url: ["url", "pagelocation", "href"],
  page_url_path: ["path", "page", "pagepath", "urlpath"],
  referer_url: ["referer", "referrer", "referrerurl", "pagereferrer"],
  referer_medium: ["medium"],
  utm_source: ["source"],
  utm_campaign: ["campaign"],
  os_name: ["platform", "operatingsystem"],
  device_type: ["device", "devicecategory"],
  user_custom_id: ["visitorid", "visitor", "clientid", "anonymousid", "cookieid", "userpseudoid"],
  user_domain_id: ["accountid", "customerid", "userid"],
  geo_latitude: ["latitude", "lat"],
  geo_longitude: ["longitude", "lon", "lng"],
  geo_country: ["country", "countrycode"],
  geo_region_name: ["region", "city"],
  geo_timezone: ["timezone"],
  ip_address: ["ip"],
};

const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Field → column whose name is usual for it. A column serves one field. */
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

/** The first format that the text has; `iso` if none. */
export function guessTimeFormat(text: string): string {
  const whole = /^(\d+)(?:\.\d+)?$/.exec(text)?.[1]?.length;
  if (whole === 10) return "unix_seconds";
  if (whole === 13) return "unix_milliseconds";
  if (whole === 16) return "unix_microseconds";
  const found = CANDIDATES.find((format) => !Number.isNaN(timeParser(format, "UTC")(text)));
  return found ?? "iso";
}

/** Most frequent separator of the header; undefined for the usual one of the file's ending. */
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
