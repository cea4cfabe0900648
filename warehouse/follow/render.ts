import { STREAMS } from "../../contract/streams.ts";
import { parseMicros, SECOND } from "../../contract/time.ts";
import { renderTable } from "../../terminal/format.ts";
import type { Hops, Row, Trace, TracedMessage } from "./trace.ts";

/** Renders one session as text, from the raw messages to dm. */
export function renderTrace(trace: Trace): string {
  return [
    `Visit ${trace.clickId}`,
    section("stg: messages as they came", messageTable(trace.messages)),
    section("When: model time of emission, then wall time and what followed", hopTable(trace)),
    section("Payloads", trace.messages.map(payloadLines).join("\n")),
    ...STREAMS.map((stream) =>
      section(
        `ods.${stream}_event`,
        rowsTable(trace.typed[stream], COLUMNS[stream], "no typed message"),
      ),
    ),
    section("ods.*_errors", errorTable(trace.messages)),
    section("dds.event", rowsTable(trace.events, EVENT_COLUMNS, "no row")),
    section("dds.click", factTable(trace.click)),
    section("dm.session", factTable(trace.session)),
  ].join("\n\n");
}

const section = (title: string, body: string): string => `${title}\n${body}`;

const COLUMNS = {
  browser: ["event_id", "event_timestamp", "event_type", "browser_name", "markers"],
  location: ["event_id", "page_url_path", "referer_medium", "utm_source", "markers"],
  device: ["user_custom_id", "user_domain_id", "os", "device_type", "markers"],
  geo: ["geo_country", "geo_region_name", "geo_latitude", "geo_longitude", "markers"],
} as const;

const EVENT_COLUMNS = [
  "event_id",
  "event_timestamp",
  "event_type",
  "page_url_path",
  "duplicates",
  "markers",
] as const;

const messageTable = (messages: readonly TracedMessage[]): string =>
  renderTable(
    ["topic", "epoch", "partition", "offset", "key", "fate", "markers"],
    messages.map((message) => [
      message.topic,
      String(message.epoch),
      String(message.partition),
      String(message.offset),
      message.key || "none",
      message.fate,
      message.markers.join(" "),
    ]),
  );

const hopTable = ({ messages }: Trace): string =>
  renderTable(
    ["stream", "offset", "emitted", "broker", "ingested", "in ods", "in dds", "in dm"],
    messages.map(({ stream, offset, hops }) => [
      stream,
      String(offset),
      hops.emitted ?? "not known",
      hops.broker,
      ...(["ingested", "loaded", "integrated", "presented"] as const).map((hop) =>
        sinceBroker(hops, hop),
      ),
    ]),
  );

/** `+0.53 s` after the broker had the message, or `not yet`. */
export function sinceBroker(hops: Hops, hop: keyof Hops): string {
  const at = hops[hop];
  if (at === null) return "not yet";
  const seconds = (parseMicros(at) - parseMicros(hops.broker)) / SECOND;
  return `+${seconds.toFixed(seconds < 100 ? 2 : 0)} s`;
}

const payloadLines = ({ stream, partition, offset, raw }: TracedMessage): string =>
  `  ${stream} ${partition}:${offset}  ${raw ?? "no longer in stg (expired)"}`;

function errorTable(messages: readonly TracedMessage[]): string {
  const marked = messages.filter((message) => message.markers.length > 0);
  if (marked.length === 0) return "  no message is marked";
  const rows = marked.map((message) => [
    `ods.${message.stream}_event_errors`,
    message.offset,
    message.markers.join(","),
    message.fate === "rejected" ? "no" : "yes",
  ]);
  return renderTable(["table", "offset", "error_reason", "typed as well"], rows);
}

function rowsTable(rows: readonly Row[], columns: readonly string[], none: string): string {
  if (rows.length === 0) return `  ${none}`;
  return renderTable(
    columns,
    rows.map((row) => columns.map((column) => cellText(row[column]))),
  );
}

function factTable(row: Row | null): string {
  if (row === null) return "  no row";
  const lines = Object.entries(row).map(([name, value]) => [name, cellText(value)]);
  return renderTable(["column", "value"], lines);
}

/** A value of any column in one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
