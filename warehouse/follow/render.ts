import { STREAMS } from "../../contract/streams.ts";
import { parseMicros, SECOND } from "../../contract/time.ts";
import {
  type Cells,
  formatNumber,
  renderTable,
  terminalWidth,
  wrapText,
} from "../../terminal/format.ts";
import type { Hops, Row, Trace, TracedMessage } from "./trace.ts";

const width = (): number => Math.min(120, terminalWidth());

/** Renders one session as text of 120 columns: a summary, then each layer from the raw messages to dm. */
export function renderTrace(trace: Trace): string {
  return [
    summary(trace),
    section("stg: messages in the order of emission", messageTable(trace)),
    section(
      "Model time of emission, arrival at the broker, then seconds until each layer",
      hops(trace),
    ),
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
    section("Payloads", trace.messages.flatMap(payloadLines).join("\n")),
  ].join("\n\n");
}

/** Summarises the layers that the session reached and the defects of its messages. */
function summary({ clickId, messages, events, session }: Trace): string {
  const fates = Map.groupBy(messages, ({ fate }) => fate);
  const counts = [...fates].map(([fate, { length }]) => `${length} ${fate}`);
  const markers = [...new Set(messages.flatMap((message) => message.markers))];
  return [
    `Session ${clickId}`,
    `  stg  ${formatNumber(messages.length, "message")}: ${counts.join(", ")}`,
    `  ods  ${markers.length === 0 ? "no message is marked" : `marked ${markers.join(", ")}`}`,
    `  dds  ${formatNumber(events.length, "event")}`,
    `  dm   ${session === null ? "no session" : `one session, ${session.started_at} to ${session.ended_at} UTC`}`,
  ].join("\n");
}

const table = (head: readonly string[], rows: readonly Cells[]): string =>
  renderTable(head, rows, width());

const section = (title: string, body: string): string => `${title}\n${body}`;

const COLUMNS = {
  browser: ["event_id", "event_timestamp", "event_type", "markers"],
  location: ["event_id", "page_url_path", "referer_medium", "utm_source", "markers"],
  device: ["user_custom_id", "user_domain_id", "os", "device_type", "markers"],
  geo: ["geo_country", "geo_region_name", "geo_latitude", "geo_longitude", "markers"],
} as const;

const EVENT_COLUMNS = [
  "event_id",
  "event_timestamp",
  "page_url_path",
  "duplicates",
  "markers",
] as const;

const messageTable = ({ clickId, messages }: Trace): string =>
  table(
    ["topic", "epoch", "partition", "offset", "key", "fate", "markers"],
    messages.map((message) => [
      message.topic,
      String(message.epoch),
      String(message.partition),
      String(message.offset),
      message.key === clickId ? "click_id" : message.key || "none",
      message.fate,
      message.markers.join(" "),
    ]),
  );

const LAYERS = { stg: "ingested", ods: "loaded", dds: "integrated", dm: "presented" } as const;

const hops = ({ messages }: Trace): string =>
  table(
    ["stream", "offset", "emitted", "broker", ...Object.keys(LAYERS)],
    messages.map(({ stream, offset, hops }) => [
      stream,
      String(offset),
      hops.emitted === null ? "unknown" : toSecond(hops.emitted),
      toSecond(hops.broker),
      ...Object.values(LAYERS).map((hop) => secondsSinceBroker(hops, hop) ?? "-"),
    ]),
  );

const toSecond = (time: string): string => time.slice(0, "YYYY-MM-DD HH:MM:SS".length);

/** Formats the delay after the broker received the message: `+0.53 s`, or `not yet`. */
export function sinceBroker(hops: Hops, hop: keyof Hops): string {
  const seconds = secondsSinceBroker(hops, hop);
  return seconds === null ? "not yet" : `${seconds} s`;
}

function secondsSinceBroker(hops: Hops, hop: keyof Hops): string | null {
  const at = hops[hop];
  if (at === null) return null;
  const seconds = (parseMicros(at) - parseMicros(hops.broker)) / SECOND;
  return `+${seconds.toFixed(seconds < 100 ? 2 : 0)}`;
}

const payloadLines = ({ stream, partition, offset, raw }: TracedMessage): string[] => [
  `  ${stream} ${partition}:${offset}`,
  ...wrapText(raw ?? "no longer in stg (expired)", width() - 4).map(
    (line) => `    ${line.trimEnd()}`,
  ),
];

function errorTable(messages: readonly TracedMessage[]): string {
  const marked = messages.filter((message) => message.markers.length > 0);
  if (marked.length === 0) return "  no message is marked";
  const rows = marked.map((message) => [
    `ods.${message.stream}_event_errors`,
    message.offset,
    message.markers.join(","),
    message.fate === "rejected" ? "no" : "yes",
  ]);
  return table(["table", "offset", "error_reason", "typed as well"], rows);
}

function rowsTable(rows: readonly Row[], columns: readonly string[], none: string): string {
  if (rows.length === 0) return `  ${none}`;
  return table(
    columns,
    rows.map((row) => columns.map((column) => cellText(row[column]))),
  );
}

function factTable(row: Row | null): string {
  if (row === null) return "  no row";
  const lines = Object.entries(row).map(([name, value]) => [name, cellText(value)]);
  return table(["column", "value"], lines);
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
