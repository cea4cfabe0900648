import type { LAYERS } from "../../../contract/layers.ts";
import type { StreamName } from "../../../contract/streams.ts";
import type { Difference } from "../../schema/compare.ts";

export type DerivedLayer = Exclude<(typeof LAYERS)[number], "stg">;

/** Rows of a table on one day, as recomputed from stg and as found. */
export interface DeepLine {
  readonly layer: DerivedLayer;
  /** Name without its layer, e.g. `event_enriched`. */
  readonly table: string;
  readonly stream: StreamName | null;
  /** Model day: of emission in ods, of the event in dds and dm; empty where it is unknown or does not apply. */
  readonly day: string;
  readonly expected: number;
  readonly found: number;
  /** Same rows, not only as many. */
  readonly isEqual: boolean;
}

/** A row that is missing, stands twice, is too many, or has other values. */
export interface DeepRow {
  readonly layer: DerivedLayer;
  readonly table: string;
  /** Values of the key's columns, e.g. `event_id = 0b5c…`. */
  readonly key: string;
  readonly expected: number;
  readonly found: number;
  /** Columns whose values differ; empty where a row is missing or too many. */
  readonly columns: readonly string[];
}

/** A table that no finished load answers for. */
export interface DeepUnchecked {
  readonly layer: DerivedLayer;
  readonly table: string;
  readonly reason: string;
}

export interface DeepResult {
  /** Every line compared, in the order of the layers. */
  readonly lines: readonly DeepLine[];
  /** Up to five rows of each table that differs. */
  readonly rows: readonly DeepRow[];
  readonly unchecked: readonly DeepUnchecked[];
  /** Views that are missing or differ from `sql/ddl`: readers of dm would see other numbers. */
  readonly views: readonly Difference[];
  /** Layers with a difference, lowest first. */
  readonly layers: readonly DerivedLayer[];
  /** Messages of ods that stg holds no more, which a rebuild would drop; 0 where ods does not differ. */
  readonly onlyCopies: number;
}
