import type { LAYERS } from "../../../contract/layers.ts";
import type { StreamName } from "../../../contract/streams.ts";
import type { Difference } from "../../schema/differences.ts";

export type DerivedLayer = Exclude<(typeof LAYERS)[number], "stg">;

export interface DeepLine {
  readonly layer: DerivedLayer;
  readonly table: string;
  readonly stream: StreamName | null;
  /** Model day of emission in ods, of the event in dds and dm; empty if unknown. */
  readonly day: string;
  readonly expected: number;
  readonly found: number;
  /** True for the same rows, not only the same number of rows. */
  readonly isEqual: boolean;
}

export interface DeepRow {
  readonly layer: DerivedLayer;
  readonly table: string;
  /** Values of the key's columns, e.g. `event_id = 0b5c…`. */
  readonly key: string;
  readonly expected: number;
  readonly found: number;
  /** Differing columns; empty if a row is missing or superfluous. */
  readonly columns: readonly string[];
}

/** A table without a finished load. */
export interface DeepUnchecked {
  readonly layer: DerivedLayer;
  readonly table: string;
  readonly reason: string;
}

export interface DeepResult {
  readonly lines: readonly DeepLine[];
  readonly rows: readonly DeepRow[];
  readonly unchecked: readonly DeepUnchecked[];
  readonly views: readonly Difference[];
  readonly layers: readonly DerivedLayer[];
  /** See `Reconciliation.onlyCopies`. */
  readonly onlyCopies: number;
}
