import type { DefectKind } from "../../contract/defects.ts";
import type { LAYERS } from "../../contract/layers.ts";
import type { StreamName } from "../../contract/streams.ts";

/**
 * What the ledger concludes.
 * - `accounted`: every message is in every layer once.
 * - `incomplete`: nothing is missing, but messages wait for a layer.
 * - `unaccounted`: messages are missing somewhere, or are somewhere twice.
 */
export type Verdict = "accounted" | "incomplete" | "unaccounted";

export type Layer = (typeof LAYERS)[number];

/** Messages of one epoch and stream on one model day of emission; `day` is empty where it is not known. */
export interface MessageLine {
  readonly epoch: number;
  readonly stream: StreamName;
  readonly day: string;
  /** What the source says it sent; null where no source covers the day. */
  readonly generated: number | null;
  /** A source of the epoch may have sent more than `generated`: what was lost of that does not show. */
  readonly isLowerBound?: true;
  /** Sent while the ends of the topics were read, where no exact cut was had. */
  readonly inFlight: number;
  /** Committed in the topic, and not in stg yet. */
  readonly undelivered: number;
  readonly raw: number;
  readonly typed: number;
  readonly rejected: number;
  /** Raw messages that the next load takes. */
  readonly pending: number;
  /** Messages that are missing somewhere or are somewhere twice. */
  readonly unaccounted: number;
}

/** Messages of one stream that a layer does not have yet, although the layer before it does. */
export interface WaitingLine {
  readonly layer: Layer;
  /** Null where a step is behind and no message waits for it. */
  readonly stream: StreamName | null;
  /** The epoch of the messages, where it is known and not the current one. */
  readonly epoch?: number;
  readonly count: number;
  /** Age of the oldest of them, wall time; null where it is not known. */
  readonly oldestSeconds: number | null;
  /** The reader or step that has not taken them. */
  readonly step: string;
  /** What is behind, where no message waits. */
  readonly reason?: string;
  /** What helps. */
  readonly hint: string;
}

/** A sum that must agree between two layers. */
export interface LayerLine {
  readonly layer: Layer;
  readonly identity: string;
  readonly expected: number;
  readonly found: number;
  /** False while a load of the layer is unfinished: its rows change, so the sums say nothing. */
  readonly isCompared: boolean;
}

/** What became of the injected defects of one kind. */
export interface DefectLine {
  readonly kind: DefectKind;
  readonly injected: number;
  readonly caught: number;
  /** Not found so far, and possibly among the messages that wait. */
  readonly pending: number;
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
  /** The current epoch; lines of messages are of all epochs. */
  readonly epoch: number;
  /** Checksum of the manifest the ledger was compared with; null without one. */
  readonly checksum: string | null;
  readonly messages: readonly MessageLine[];
  readonly waiting: readonly WaitingLine[];
  readonly layers: readonly LayerLine[];
  readonly defects: readonly DefectLine[];
  readonly lost: readonly LostRow[];
  /** Messages of ods that stg holds no more, which a rebuild would drop; 0 where all is accounted for. */
  readonly onlyCopies: number;
  readonly digests: readonly DigestLine[];
  /** Sentences about what was not compared, and what was interrupted, that change no verdict. */
  readonly notes: readonly string[];
  /** Folder of the embedded engine, for the commands of hints; null on a server. */
  readonly directory: string | null;
  /** Messages that a live source sent while the ends of the topics were read; 0 where the cut is exact. */
  readonly inFlight: number;
  readonly unaccounted: number;
  readonly verdict: Verdict;
}

/** By how much a sum differs; 0 while it is not compared. */
export const differenceOf = ({ expected, found, isCompared }: LayerLine): number =>
  isCompared ? Math.abs(expected - found) : 0;

export function verdictOf(
  unaccounted: number,
  waiting: readonly WaitingLine[],
  layers: readonly LayerLine[] = [],
): Verdict {
  if (unaccounted > 0) return "unaccounted";
  const isWhole = waiting.length === 0 && layers.every(({ isCompared }) => isCompared);
  return isWhole ? "accounted" : "incomplete";
}

/** The lines of messages, and of what waits for a layer. */
export type Messages = Pick<Ledger, "messages" | "waiting">;

/** The lines of one epoch. What waits for dds or dm has none, and counts for the current one. */
export const ofEpoch = (ledger: Messages & Pick<Ledger, "epoch">, epoch: number): Messages => ({
  messages: ledger.messages.filter((line) => line.epoch === epoch),
  waiting: ledger.waiting.filter((line) => (line.epoch ?? ledger.epoch) === epoch),
});

/** The verdict on one stream: its messages on all days, and what waits of it. */
export const streamVerdict = (ledger: Messages, stream: StreamName): Verdict =>
  verdictOf(
    sum(ledger.messages.filter((line) => line.stream === stream).map((line) => line.unaccounted)),
    ledger.waiting.filter((line) => line.stream === stream),
  );

/** Messages of one stream that wait for any layer. */
export const waitingOf = ({ waiting }: Pick<Ledger, "waiting">, stream: StreamName): number =>
  sum(waiting.filter((line) => line.stream === stream).map(({ count }) => count));

/**
 * Whether everything that waits waits for a scheduled load, the oldest for less than `seconds`. A
 * reader of Kafka has no schedule: what waits for stg is never normal.
 */
export const isBetweenLoads = ({ waiting }: Pick<Ledger, "waiting">, seconds: number): boolean =>
  waiting.length > 0 &&
  waiting.every(
    ({ layer, oldestSeconds }) =>
      layer !== "stg" && oldestSeconds !== null && oldestSeconds < seconds,
  );

/** Sums the lines of each stream over its days and epochs. */
export function sumByStream(lines: readonly MessageLine[]): MessageLine[] {
  const sums = new Map<StreamName, MessageLine>();
  for (const line of lines) {
    const total = sums.get(line.stream);
    sums.set(line.stream, total ? addLines(total, line) : { ...line, day: "" });
  }
  return [...sums.values()];
}

const addLines = (a: MessageLine, b: MessageLine): MessageLine => ({
  epoch: a.epoch,
  stream: a.stream,
  day: "",
  generated: a.generated === null || b.generated === null ? null : a.generated + b.generated,
  ...((a.isLowerBound || b.isLowerBound) && { isLowerBound: true }),
  inFlight: a.inFlight + b.inFlight,
  undelivered: a.undelivered + b.undelivered,
  raw: a.raw + b.raw,
  typed: a.typed + b.typed,
  rejected: a.rejected + b.rejected,
  pending: a.pending + b.pending,
  unaccounted: a.unaccounted + b.unaccounted,
});

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
