import type { LAYERS } from "../../../contract/layers.ts";
import type { StreamName } from "../../../contract/streams.ts";
import type { Difference } from "../../schema/compare.ts";

export type DerivedLayer = Exclude<(typeof LAYERS)[number], "stg">;

/** Rows of a table on one day, recomputed and found. */
export interface DeepLine {
  readonly layer: DerivedLayer;
  /** Name without its layer, e.g. `event_enriched`. */
  readonly table: string;
  readonly stream: StreamName | null;
  /** Model day: of emission in ods, of the event in dds and dm; empty if unknown. */
  readonly day: string;
  readonly expected: number;
  readonly found: number;
  /** Same rows, not only the same number. */
  readonly isEqual: boolean;
}

/** A row that is missing, doubled, superfluous or has other values. */
export interface DeepRow {
  readonly layer: DerivedLayer;
  readonly table: string;
  /** Values of the key's columns, e.g. `event_id = 0b5c…`. */
  readonly key: string;
  readonly expected: number;
  readonly found: number;
  /** Columns that differ; empty if a row is missing or superfluous. */
  readonly columns: readonly string[];
}

/** A table without a finished load. */
export interface DeepUnchecked {
  readonly layer: DerivedLayer;
  readonly table: string;
  readonly reason: string;
}

export interface DeepResult {
  /** In the order of the layers. */
  readonly lines: readonly DeepLine[];
  /** At most five per table. */
  readonly rows: readonly DeepRow[];
  readonly unchecked: readonly DeepUnchecked[];
  /** Views that are missing or differ from `sql/ddl`: readers of dm would see other numbers. */
  readonly views: readonly Difference[];
  /** Layers with a difference, lowest first. */
  readonly layers: readonly DerivedLayer[];
  /** Messages of ods that stg no longer has and a rebuild would drop; 0 if ods does not differ. */
  readonly onlyCopies: number;
}
