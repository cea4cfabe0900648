import { STREAMS, type StreamName } from "../../../contract/streams.ts";
import { messageTables, readQuery } from "../../sql.ts";
import type { DerivedLayer } from "./result.ts";

export interface CheckedTable {
  readonly layer: DerivedLayer;
  readonly table: string;
  readonly stream: StreamName | null;
  readonly key: readonly string[];
  /** Model day of a row, as an SQL expression. */
  readonly day: string;
  /** Columns whose values depend on when loads ran. */
  readonly tolerance: readonly Tolerance[];
}

interface Tolerance {
  readonly column: string;
  /** Columns that the condition reads as `expected_NAME` and `found_NAME`. */
  readonly reads: readonly { readonly name: string; readonly isOnlyExpected?: true }[];
  readonly isRight: string;
}

/** Tolerates a message delivered again after its load was planned: ods keeps the first time. */
const INGESTED_AT: Tolerance = {
  column: "ingested_at",
  reads: [{ name: "ingested_at" }, { name: "is_redelivered", isOnlyExpected: true }],
  isRight: "expected_is_redelivered AND found_ingested_at <= expected_ingested_at",
};

const messageTable = (stream: StreamName, table: string): CheckedTable => ({
  layer: "ods",
  table,
  stream,
  key: ["epoch", "_partition", "_offset"],
  day: "ifNull(toString(toDate(emitted_at, 'UTC')), '')",
  tolerance: [INGESTED_AT],
});

export const messageTablesOf = (stream: StreamName): [CheckedTable, CheckedTable] => {
  const { typed, errors } = messageTables(stream);
  return [messageTable(stream, typed), messageTable(stream, errors)];
};

/** SQL condition of a row that an interrupted load wrote and the next load wrote again. */
const IS_RESUMED = `found_load_id IN (${readQuery("checks/deep/resumed_loads.sql")})`;

const dayOf = (column: string): string => `toString(toDate(${column}, 'UTC'))`;

export const EVENT: CheckedTable = {
  layer: "dds",
  table: "event",
  stream: null,
  key: ["event_id"],
  day: dayOf("event_timestamp"),
  tolerance: [
    {
      column: "is_rewritten",
      reads: [{ name: "is_rewritten" }, { name: "load_id" }],
      isRight: `found_is_rewritten AND ${IS_RESUMED}`,
    },
  ],
};

export const CLICK: CheckedTable = {
  layer: "dds",
  table: "click",
  stream: null,
  key: ["click_id"],
  day: "''",
  tolerance: [
    {
      column: "load_id",
      reads: [{ name: "load_id" }],
      isRight: `found_load_id > expected_load_id AND ${IS_RESUMED}`,
    },
    {
      column: "is_rewritten",
      reads: [
        { name: "is_rewritten" },
        { name: "load_id" },
        { name: "first_load", isOnlyExpected: true },
      ],
      isRight: `(found_is_rewritten = (expected_first_load < found_load_id)) OR (found_is_rewritten AND ${IS_RESUMED})`,
    },
  ],
};

export const EVENT_ENRICHED: CheckedTable = {
  layer: "dm",
  table: "event_enriched",
  stream: null,
  key: ["event_id"],
  day: dayOf("event_timestamp"),
  tolerance: [],
};

export const SESSION: CheckedTable = {
  layer: "dm",
  table: "session",
  stream: null,
  key: ["click_id"],
  day: dayOf("started_at"),
  tolerance: [],
};

export const PAGE_VIEW: CheckedTable = {
  layer: "dm",
  table: "page_view",
  stream: null,
  key: ["event_id"],
  day: dayOf("event_timestamp"),
  tolerance: [],
};

export const VISITOR: CheckedTable = {
  layer: "dm",
  table: "visitor",
  stream: null,
  key: ["user_custom_id"],
  day: dayOf("first_seen"),
  tolerance: [],
};

export const DQ_SUMMARY: CheckedTable = {
  layer: "dm",
  table: "dq_summary",
  stream: null,
  key: ["layer", "entity", "metric"],
  day: "''",
  tolerance: [],
};

export const COMPLETE_PERIOD: CheckedTable = {
  layer: "dm",
  table: "complete_period",
  stream: null,
  key: ["whole_hours_from"],
  day: "''",
  tolerance: [
    {
      column: "last_complete_day",
      reads: [{ name: "last_complete_day" }, { name: "is_settled", isOnlyExpected: true }],
      isRight:
        "NOT expected_is_settled AND abs(found_last_complete_day - expected_last_complete_day) <= 1",
    },
  ],
};

export const CHECKED_TABLES: readonly CheckedTable[] = [
  ...STREAMS.flatMap(messageTablesOf),
  ...[EVENT, CLICK, EVENT_ENRICHED, SESSION, PAGE_VIEW, VISITOR, DQ_SUMMARY, COMPLETE_PERIOD],
];

export const nameOf = ({ layer, table }: CheckedTable): string => `${layer}.${table}`;
