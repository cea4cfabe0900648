import type { DefectKind } from "../../contract/defects.ts";
import type { StreamName } from "../../contract/streams.ts";

/** Messages of one stream on one model day of emission; `day` is empty where it is not known. */
export interface MessageLine {
  readonly stream: StreamName;
  readonly day: string;
  /** What the source says it sent; null where no manifest covers the day. */
  readonly generated: number | null;
  readonly raw: number;
  readonly typed: number;
  readonly rejected: number;
  /** Raw messages that the next load will take. */
  readonly pending: number;
  /** Messages that are missing somewhere or stand somewhere twice. */
  readonly unaccounted: number;
}

/** A sum that must agree between two layers. */
export interface LayerLine {
  readonly identity: string;
  readonly expected: number;
  readonly found: number;
}

/** What became of the injected defects of one kind. */
export interface DefectLine {
  readonly kind: DefectKind;
  readonly injected: number;
  readonly caught: number;
  readonly missed: number;
  readonly falseAlarms: number;
}

/** A raw message that was loaded and is nowhere. */
export interface LostRow {
  readonly stream: StreamName;
  readonly epoch: number;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
}

export interface DigestLine {
  readonly name: string;
  readonly rows: number;
  readonly digest: string;
}

export interface Ledger {
  readonly epoch: number;
  /** Checksum of the manifest the ledger was held against; null without one. */
  readonly checksum: string | null;
  readonly messages: readonly MessageLine[];
  readonly layers: readonly LayerLine[];
  readonly defects: readonly DefectLine[];
  readonly lost: readonly LostRow[];
  readonly digests: readonly DigestLine[];
  /** Messages of a live source that were on their way to stg when they were counted: not missing. */
  readonly inFlight?: number;
  readonly unaccounted: number;
}

type Counts = Pick<MessageLine, "generated" | "raw" | "typed" | "rejected" | "pending">;

/** Missing between source and raw, plus missing between raw and ods; doubled counts like missing. */
export function unaccountedOf({ generated, raw, typed, rejected, pending }: Counts): number {
  const fromSource = generated === null ? 0 : Math.abs(generated - raw);
  return fromSource + Math.abs(raw - typed - rejected - pending);
}

/** Sums the lines of each stream over its days. */
export function sumByStream(lines: readonly MessageLine[]): MessageLine[] {
  const sums = new Map<StreamName, MessageLine>();
  for (const line of lines) {
    const sum = sums.get(line.stream);
    sums.set(line.stream, sum ? addLines(sum, line) : { ...line, day: "" });
  }
  return [...sums.values()];
}

const addLines = (a: MessageLine, b: MessageLine): MessageLine => ({
  stream: a.stream,
  day: "",
  generated: a.generated === null || b.generated === null ? null : a.generated + b.generated,
  raw: a.raw + b.raw,
  typed: a.typed + b.typed,
  rejected: a.rejected + b.rejected,
  pending: a.pending + b.pending,
  unaccounted: a.unaccounted + b.unaccounted,
});
