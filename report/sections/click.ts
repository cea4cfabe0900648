import type { StreamName } from "../../contract/streams.ts";
import { cellText, sinceBroker } from "../../warehouse/follow/render.ts";
import type { Row, Trace, TracedMessage } from "../../warehouse/follow/trace.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";
import { facts, table } from "../table.ts";

export function clickSection(trace: Trace): Section {
  const body = html`<p class="lead">Session <code class="long">${trace.clickId}</code> in each layer of the pipeline. Its pages: ${pages(trace)}. Times are stored in UTC.</p>
<ol class="layers">
${layer("stg", "Raw messages, as received from the broker", raw(trace))}
${layer("ods", "Typed messages, with markers for defects", typed(trace))}
${layer("dds", "Events and one session, joined from the streams", integrated(trace))}
${layer("dm", "Summary for the dashboards", presented(trace.session))}
</ol>`;
  return { id: "click", title: "One session in all layers", body };
}

const layer = (name: string, about: string, body: Html): Html =>
  html`<li class="card"><h3><span class="layer">${name}</span> ${about}</h3>
${body}</li>
`;

function pages({ events }: Trace): string {
  const seen = events.map((event) => String(event.page_url_path || "an unknown page"));
  return seen.length > 0 ? seen.join(" → ") : "none known";
}

function raw({ messages }: Trace): Html {
  const rows = messages.map((message) => [
    message.hops.emitted ?? "unknown",
    message.stream,
    `${message.partition}:${message.offset}`,
    html`${message.fate === "typed" ? "typed" : chip(message.fate)}${message.markers.map(chip)}`,
    sinceBroker(message.hops, "loaded"),
    sinceBroker(message.hops, "integrated"),
    sinceBroker(message.hops, "presented"),
  ]);
  const head = [
    "emitted (model time)",
    "stream",
    "partition:offset",
    "fate",
    "in ods",
    "in dds",
    "in dm",
  ];
  return html`${table("Messages of the session", head, rows)}
<p class="note">The last three columns show wall-clock time since the message reached the broker.</p>
${payloads(messages)}`;
}

/** Renders payloads; shows those with markers expanded. */
function payloads(messages: readonly TracedMessage[]): Html {
  const marked = messages.filter((message) => message.markers.length > 0);
  const others = messages.filter((message) => message.markers.length === 0);
  return html`<div class="payloads">${marked.map(payload)}</div>
${
  others.length > 0 &&
  html`<details><summary>${others.length} payloads without a marker</summary>
<div class="payloads">${others.map(payload)}</div></details>`
}`;
}

const payload = ({ stream, partition, offset, raw: text, markers }: TracedMessage): Html =>
  html`<div><h4>${stream} ${partition}:${offset}${markers.map(chip)}</h4>
<pre tabindex="0">${text === null ? "expired from stg" : prettyJson(text)}</pre></div>
`;

/** Indents JSON; returns other text unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const COLUMNS: Readonly<Record<StreamName, readonly string[]>> = {
  browser: ["event_timestamp", "event_type", "browser_name", "browser_language", "markers"],
  location: ["page_url_path", "referer_medium", "utm_source", "utm_campaign", "markers"],
  device: ["user_custom_id", "user_domain_id", "os", "device_type", "markers"],
  geo: ["geo_country", "geo_region_name", "geo_latitude", "geo_longitude", "markers"],
};

function typed(trace: Trace): Html {
  const rejected = trace.messages.filter((message) => message.fate === "rejected");
  const streams = Object.entries(COLUMNS) as [StreamName, readonly string[]][];
  return html`${streams.map(([stream, columns]) => rowTable(`ods.${stream}_event`, trace.typed[stream], columns))}
${rejected.map((message) => html`<p class="note">Rejected, kept in <code>ods.${message.stream}_event_errors</code>: ${message.stream} ${message.partition}:${message.offset}, ${message.markers.join(", ")}.</p>`)}`;
}

function integrated({ events, click }: Trace): Html {
  const columns = ["event_timestamp", "page_url_path", "event_type", "duplicates", "markers"];
  return html`${rowTable("dds.event", events, columns)}
<h4>dds.click</h4>
${click ? rowFacts(click) : html`<p class="note">No row.</p>`}`;
}

const presented = (session: Row | null): Html =>
  html`<h4>dm.session</h4>${session ? rowFacts(session) : html`<p class="note">No row: the session has no event.</p>`}`;

function rowTable(name: string, rows: readonly Row[], columns: readonly string[]): Html {
  const body =
    rows.length === 0
      ? html`<p class="note">No row.</p>`
      : table(
          name,
          columns,
          rows.map((row) => columns.map((column) => value(row[column]))),
        );
  return html`<h4>${name}</h4>
${body}`;
}

const rowFacts = (row: Row): Html =>
  facts(Object.entries(row).map(([name, content]) => [name, value(content)]));

function value(content: unknown): Html | string {
  if (Array.isArray(content)) return html`${content.map((item) => chip(String(item)))}`;
  const text = cellText(content);
  return text === "" || text === "NULL"
    ? html`<span class="empty">${text || "empty"}</span>`
    : text;
}

const chip = (name: string): Html => html` <span class="chip">${name}</span>`;
