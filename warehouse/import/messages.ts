import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { formatMicros, parseMicros } from "../../contract/time.ts";
import { FIELDS } from "./fields.ts";
import { hashedUuid, uuidOf } from "./identity.ts";
import { lookUp } from "./look-up.ts";
import type { Mapping } from "./mapping.ts";
import type { Row } from "./rows.ts";
import { timeParser } from "./time.ts";

type Value = string | number | boolean | null;
type Message = Readonly<Record<string, Value>>;
/** The messages of one row; no geo message if the mapping has no field of a place. */
export type Messages = Readonly<Record<Exclude<StreamName, "geo">, Message> & { geo?: Message }>;

/** Why a row has no messages. */
export interface Unmapped {
  readonly reason: string;
}

const FIRST = parseMicros("2000-01-01 00:00:00");
const END = parseMicros("2100-01-01 00:00:00");
const TRUE = ["true", "1", "yes", "t", "y"];
const FALSE = ["false", "0", "no", "f", "n"];

/** Returns the function from a row to its messages. */
export function messageMapper(mapping: Mapping): (row: Row) => Messages | Unmapped {
  const parseTime = timeParser(mapping.time.format, mapping.time.zone);
  const hasPlace = Object.keys(streams.geo.fields).some(
    (name) =>
      name !== "click_id" && (mapping.columns[name] ?? mapping.constants[name]) !== undefined,
  );
  return (row) => {
    if (row.problem !== undefined) return { reason: row.problem };
    const texts = textsOf(row, mapping);
    const at = parseTime(texts.event_timestamp ?? "");
    const reason = problemOf(texts, at, mapping);
    if (reason !== null) return { reason };
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

/** Text of each field after `values` and `constants`; undefined where the row has none. */
function textsOf({ values }: Row, { columns, constants, values: names }: Mapping): Texts {
  const texts: Texts = {};
  for (const name of Object.keys(FIELDS)) {
    const column = columns[name];
    const found = column === undefined ? "" : textOf(lookUp(values, column));
    // Fields are in the contract's order: the address is known before its path.
    const own = found === "" && name === "page_url_path" ? pathOf(texts.page_url) : found;
    const replaced = own === "" ? undefined : (names[name]?.[own] ?? names[name]?.["*"] ?? own);
    const value = replaced ?? constants[name];
    texts[name] = value === undefined ? undefined : String(value);
  }
  return texts;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).trim();
}

function problemOf(texts: Texts, at: number, { time, columns }: Mapping): string | null {
  const { event_timestamp: timestamp, click_id: click, event_type: type } = texts;
  if (timestamp === undefined) return `event_timestamp: ${columns.event_timestamp} is empty`;
  if (Number.isNaN(at)) {
    return `event_timestamp: ${columns.event_timestamp} ${JSON.stringify(timestamp)} is not a time of the format ${time.format}`;
  }
  if (at < FIRST || at >= END) {
    return `event_timestamp: ${columns.event_timestamp} ${JSON.stringify(timestamp)} is ${formatMicros(at)}. Allowed: 2000 to 2099`;
  }
  if (click === undefined) return `click_id: ${columns.click_id} is empty`;
  if (type === undefined || FIELDS.event_type?.json.safeParse(type).success) return null;
  return `event_type: ${columns.event_type} ${JSON.stringify(type)} is unknown. Allowed: pageview, purchase; map others with values.event_type`;
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

/** A text that is no value of the column stays: judging it is the pipeline's work. */
function typed(text: string, column: string): Value {
  if (column.includes("UUID")) return uuidOf(text);
  if (column.includes("Float64")) return Number.isFinite(Number(text)) ? Number(text) : text;
  if (!column.includes("Bool")) return text;
  if (TRUE.includes(text.toLowerCase())) return true;
  return FALSE.includes(text.toLowerCase()) ? false : text;
}

const pathOf = (url = ""): string =>
  url !== "" && URL.canParse(url, "http://site") ? new URL(url, "http://site").pathname : "";

function isMobile(type = ""): boolean | null {
  if (/mobile|phone|tablet|android|ipad/i.test(type)) return true;
  return /computer|desktop|laptop|pc/i.test(type) ? false : null;
}
