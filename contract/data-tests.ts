import { LAYERS } from "./layers.ts";
import { MARKERS } from "./markers.ts";

/** Values of dm.session.clock, whose meaning is its COMMENT in sql/ddl. */
const CLOCKS = ["right", "ahead"] as const;

/** Values of dm.session.channel, as sql/etl/dm/session.sql computes them. */
const CHANNELS = [
  "cross-network",
  "paid search",
  "paid shopping",
  "paid video",
  "paid other",
  "display",
  "organic shopping",
  "organic video",
  "audio",
  "sms",
  "mobile push",
  "paid social",
  "email",
  "affiliate",
  "other campaign",
  "organic search",
  "organic social",
  "referral",
  "direct",
  "other",
  "unknown",
] as const;

/** Values of dm.dq_summary.metric beside the markers. */
const COUNTED = ["rows", "typed", "rejected", "duplicates", "superseded", "orphan_events"] as const;

/** Table of dds or dm. */
export type Tested = `${"dds" | "dm"}.${string}`;

/** Tests of one column, by the names of dbt's generic data tests. */
export interface ColumnTests {
  /** No two rows have the same value. */
  readonly unique?: true;
  /** No value is NULL, or the empty value of a type without NULL: '', the zero UUID, 1970. */
  readonly not_null?: true;
  /** Every value, or every element of an array, is in the list. `where` limits the tested rows. */
  readonly accepted_values?: { readonly values: readonly string[]; readonly where?: string };
  /** Every value is in a column of another table. */
  readonly relationships?: { readonly to: Tested; readonly field: string };
}

const key = { unique: true, not_null: true } as const;
const required = { not_null: true } as const;
const marked = { accepted_values: { values: MARKERS } } as const;

const summary = {
  layer: { accepted_values: { values: LAYERS } },
  entity: required,
  metric: { accepted_values: { values: [...COUNTED, ...MARKERS] } },
} as const;

/** Tests of every table of dds and dm, by table and column; `pipeline test` runs them. */
export const DATA_TESTS: Readonly<Record<Tested, Readonly<Record<string, ColumnTests>>>> = {
  "dds.event": {
    event_id: key,
    click_id: { not_null: true, relationships: { to: "dds.click", field: "click_id" } },
    event_timestamp: required,
    markers: marked,
  },
  "dds.click": {
    click_id: key,
    markers: marked,
  },
  "dds.expired_click": {
    click_id: key,
  },
  "dds.load_commit": { lease_id: { unique: true }, committed_at: required },
  "dds.integrity_check": { checked_at: required },
  "dm.event_enriched": {
    event_id: { ...key, relationships: { to: "dds.event", field: "event_id" } },
    click_id: { not_null: true, relationships: { to: "dm.session", field: "click_id" } },
    event_timestamp: required,
    event_date: required,
    event_markers: marked,
    click_markers: marked,
  },
  "dm.session": {
    click_id: key,
    user_custom_id: { relationships: { to: "dm.visitor", field: "user_custom_id" } },
    started_at: required,
    ended_at: required,
    session_date: required,
    clock: { accepted_values: { values: CLOCKS } },
    channel: { accepted_values: { values: CHANNELS } },
  },
  "dm.visitor": {
    user_custom_id: { ...key, relationships: { to: "dm.session", field: "user_custom_id" } },
    user_domain_id: { relationships: { to: "dm.session", field: "user_domain_id" } },
    first_channel: { accepted_values: { values: CHANNELS } },
    last_channel: { accepted_values: { values: CHANNELS } },
    clock: { accepted_values: { values: CLOCKS } },
    first_date: required,
    first_seen: required,
    last_seen: required,
  },
  "dm.page_view": {
    event_id: { ...key, relationships: { to: "dds.event", field: "event_id" } },
    click_id: { not_null: true, relationships: { to: "dm.session", field: "click_id" } },
    channel: { accepted_values: { values: CHANNELS } },
    clock: { accepted_values: { values: CLOCKS } },
    session_date: required,
    event_date: required,
    event_timestamp: required,
  },
  "dm.dq_summary": summary,
  "dm.dq_summary_log": { ...summary, computed_at: required },
  "dm.truth": {
    position: { unique: true },
    effect: required,
    segment: required,
    verdict: { accepted_values: { values: ["inside", "outside"] } },
  },
  "dm.complete_period": { last_complete_day: { unique: true } },
};
