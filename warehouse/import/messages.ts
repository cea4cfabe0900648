import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { formatMicros, type Micros, parseMicros, SECOND } from "../../contract/time.ts";
import { FIELDS } from "./fields.ts";
import { hashedUuid, uuidOf } from "./identity.ts";
import { lookUp } from "./look-up.ts";
import type { Mapping } from "./mapping.ts";
import type { Row } from "./rows.ts";
import { Sessions } from "./sessions.ts";
import { timeParser, UNIX_FORMATS } from "./time.ts";

type Value = string | number | boolean | null;
export type Message = Readonly<Record<string, Value>>;
/** Messages of one row, without a geo message if the mapping has no place field. */
export type Messages = Readonly<Record<Exclude<StreamName, "geo">, Message> & { geo?: Message }>;

/** Reason why a row has no messages. */
export interface UnmappedReason {
  readonly reason: string;
}

const FIRST = parseMicros("2000-01-01 00:00:00");
const END = parseMicros("2100-01-01 00:00:00");
/** Later times have no text: formatMicros throws. */
const END_OF_TEXT = parseMicros("9999-12-31 23:59:59") + SECOND;
const TRUE = ["true", "1", "yes", "t", "y"];
const FALSE = ["false", "0", "no", "f", "n"];

/** Returns the function from a row to its messages. It remembers sessions that it derives. */
export function messageMapper(
  mapping: Mapping,
): (row: Row, file: string) => Messages | UnmappedReason {
  const parseTime = timeParser(mapping.time.format, mapping.time.zone);
  const sessions = new Sessions(mapping.session_minutes, mapping.columns.event_timestamp ?? "");
  const hasPlace = Object.keys(streams.geo.fields).some(
    (name) =>
      name !== "click_id" && (mapping.columns[name] ?? mapping.constants[name]) !== undefined,
  );
  return (row, file) => {
    if (row.problem !== undefined) return { reason: row.problem };
    const texts = textsOf(row, mapping);
    const at = parseTime(texts.event_timestamp ?? "");
    const reason = problemOf(texts, at, mapping);
    if (reason !== null) return { reason };
    texts.click_id ??= sessions.of(texts.user_custom_id ?? "", at, `${file}:${row.line}`);
    const values = valuesOf(texts, row.content);
    values.event_timestamp = formatMicros(at);
    const message = (stream: StreamName): Message =>
      Object.fromEntries(
        Object.keys(streams[stream].fields).map((name) => [name, values[name] ?? null]),
      );
    const [browser, location, device] = STREAMS.map(message) as [Message, Message, Message];
    return { browser, location, device, ...(hasPlace ? { geo: message("geo") } : {}) };
  };
}

type Texts = Record<string, string | undefined>;

/** Returns the text of each field after `values` and `constants`; undefined for an absent field. */
function textsOf({ values }: Row, { columns, constants, values: names }: Mapping): Texts {
  const texts: Texts = {};
  for (const name of Object.keys(FIELDS)) {
    const column = columns[name];
    const found = column === undefined ? "" : textOf(lookUp(values, column));
    const own = found === "" ? partOfAddress(name, column, texts.page_url) : found;
    const replaced = own === "" ? undefined : (names[name]?.[own] ?? names[name]?.["*"] ?? own);
    const value = replaced ?? constants[name];
    texts[name] = value === undefined ? undefined : String(value);
    if (name === "page_url_path") cutQuery(texts);
  }
  return texts;
}

/** Cuts the query and the fragment off a path, which is the address if there is no other. */
function cutQuery(texts: Texts): void {
  const { page_url_path: path = "" } = texts;
  const end = path.search(/[?#]/);
  if (end < 0) return;
  texts.page_url ??= path;
  texts.page_url_path = path.slice(0, end) || "/";
}

/** Returns a field that the address contains. The contract's order puts the address first. */
function partOfAddress(name: string, column: string | undefined, url: string | undefined): string {
  if (name === "page_url_path") return pathOf(url);
  return name.startsWith("utm_") && column === undefined
    ? (queryOf(url).get(name)?.trim() ?? "")
    : "";
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).trim();
}

function problemOf(texts: Texts, at: number, { time, columns }: Mapping): string | null {
  const { event_timestamp: timestamp, click_id: click, event_type: type } = texts;
  const { user_custom_id: visitor } = texts;
  if (timestamp === undefined) return `event_timestamp: ${columns.event_timestamp} is empty`;
  if (Number.isNaN(at)) {
    return `event_timestamp: ${columns.event_timestamp} ${JSON.stringify(timestamp)} is not a time of the format ${time.format}`;
  }
  if (!isAllowed(at)) {
    return `event_timestamp: ${columns.event_timestamp} ${JSON.stringify(timestamp)} ${outsideYears(timestamp, at, time)}`;
  }
  if (columns.click_id !== undefined && click === undefined) {
    return `click_id: ${columns.click_id} is empty`;
  }
  if (click === undefined && visitor === undefined) {
    return `user_custom_id: ${columns.user_custom_id} is empty, and sessions are derived from it`;
  }
  if (type === undefined || FIELDS.event_type?.json.safeParse(type).success) return null;
  return `event_type: ${columns.event_type} ${JSON.stringify(type)} is unknown. Allowed: pageview, purchase; map others with values.event_type`;
}

const isAllowed = (at: Micros): boolean => at >= FIRST && at < END;

function outsideYears(text: string, at: Micros, { format }: Mapping["time"]): string {
  const shown = at < END_OF_TEXT ? formatMicros(at) : "after 9999";
  const other = UNIX_FORMATS.find((name) => isAllowed(timeParser(name, "UTC")(text)));
  const suggestion = other === undefined ? "" : `; did you mean time.format ${other}?`;
  return `is ${shown} as ${format}. Allowed: 2000 to 2099${suggestion}`;
}

function valuesOf(texts: Texts, content: string): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const [name, { column }] of Object.entries(FIELDS)) {
    const text = texts[name];
    values[name] = text === undefined ? absentOf(column) : typed(text, column);
  }
  return {
    ...values,
    event_id: texts.event_id === undefined ? hashedUuid(content) : (values.event_id ?? null),
    event_type: texts.event_type ?? "pageview",
    page_url: texts.page_url ?? texts.page_url_path ?? "",
    page_url_path: texts.page_url_path ?? "",
    referer_medium: texts.referer_medium ?? (texts.referer_url ? "referral" : "direct"),
    device_is_mobile: values.device_is_mobile ?? isMobile(texts.device_type),
  };
}

const absentOf = (column: string): Value =>
  column.includes("Nullable") || column.includes("UUID") ? null : "";

/** Converts a text to the column's type. An invalid value stays, because the pipeline judges it. */
function typed(text: string, column: string): Value {
  if (column.includes("UUID")) return uuidOf(text);
  if (column.includes("Float64")) return Number.isFinite(Number(text)) ? Number(text) : text;
  if (!column.includes("Bool")) return text;
  if (TRUE.includes(text.toLowerCase())) return true;
  return FALSE.includes(text.toLowerCase()) ? false : text;
}

export const pathOf = (url = ""): string =>
  url !== "" && URL.canParse(url, "http://site") ? new URL(url, "http://site").pathname : "";

const queryOf = (url = ""): URLSearchParams =>
  new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(url)?.[1] ?? "");

function isMobile(type = ""): boolean | null {
  if (/mobile|phone|tablet|android|ipad/i.test(type)) return true;
  return /computer|desktop|laptop|pc/i.test(type) ? false : null;
}
