import type { DefectKind } from "../../contract/defects.ts";
import type { LAYERS } from "../../contract/layers.ts";
import type { StreamName } from "../../contract/streams.ts";

/**
 * Result of the reconciliation.
 * - `accounted`: every message is in every layer once.
 * - `incomplete`: nothing is missing, but messages wait for a layer.
 * - `unaccounted`: messages are missing or doubled.
 */
export type Verdict = "accounted" | "incomplete" | "unaccounted";

export type Layer = (typeof LAYERS)[number];

/** Messages of one epoch, stream and model day of emission; `day` is empty if unknown. */
export interface MessageLine {
  readonly epoch: number;
  readonly stream: StreamName;
  readonly day: string;
  /** Number sent according to the source; null if no source covers the day. */
  readonly generated: number | null;
  /** A source may have sent more than `generated`; losses among those do not show. */
  readonly isLowerBound?: true;
  /** Sent while the topic ends were read; 0 if the cut is exact. */
  readonly inFlight: number;
  /** Committed in the topic, but not in stg yet. */
  readonly undelivered: number;
  readonly raw: number;
  readonly typed: number;
  readonly rejected: number;
  /** Raw messages that the next load takes. */
  readonly pending: number;
  readonly unaccounted: number;
}

/** Messages of one stream that the previous layer has and this one does not yet. */
export interface WaitingLine {
  readonly layer: Layer;
  /** Null if a step is behind but no message waits for it. */
  readonly stream: StreamName | null;
  /** Set if it is known and not the current one. */
  readonly epoch?: number;
  readonly count: number;
  /** Wall-clock age of the oldest one; null if unknown. */
  readonly oldestSeconds: number | null;
  /** The reader or step that has not taken them. */
  readonly step: string;
  /** Set if no message waits. */
  readonly reason?: string;
  readonly hint: string;
}

/** A sum that must be equal in two layers. */
export interface LayerLine {
  readonly layer: Layer;
  readonly identity: string;
  readonly expected: number;
  readonly found: number;
  /** False while a load of the layer is unfinished. */
  readonly isCompared: boolean;
}

export interface DefectLine {
  readonly kind: DefectKind;
  readonly injected: number;
  readonly caught: number;
  /** Not found yet, but possibly among the waiting messages. */
  readonly pending: number;
  readonly missed: number;
  readonly falseAlarms: number;
}

/** A raw message that was loaded and is in no table. */
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
  /** The current epoch; `messages` covers all epochs. */
  readonly epoch: number;
  /** Checksum of the manifest compared with; null without one. */
  readonly checksum: string | null;
  readonly messages: readonly MessageLine[];
  readonly waiting: readonly WaitingLine[];
  readonly layers: readonly LayerLine[];
  readonly defects: readonly DefectLine[];
  readonly lost: readonly LostRow[];
  /** Messages of ods that stg no longer has and a rebuild would drop; 0 if accounted. */
  readonly onlyCopies: number;
  readonly digests: readonly DigestLine[];
  /** Sentences that do not change the verdict: what was not compared or was interrupted. */
  readonly notes: readonly string[];
  /** Folder of the embedded engine, for hints; null on a server. */
  readonly directory: string | null;
  /** Sent by a live source while the topic ends were read; 0 if the cut is exact. */
  readonly inFlight: number;
  readonly unaccounted: number;
  readonly verdict: Verdict;
}

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

export type Messages = Pick<Ledger, "messages" | "waiting">;

/** Lines of one epoch. What waits for dds or dm has no epoch and counts as the current one. */
export const ofEpoch = (ledger: Messages & Pick<Ledger, "epoch">, epoch: number): Messages => ({
  messages: ledger.messages.filter((line) => line.epoch === epoch),
  waiting: ledger.waiting.filter((line) => (line.epoch ?? ledger.epoch) === epoch),
});

export const streamVerdict = (ledger: Messages, stream: StreamName): Verdict =>
  verdictOf(
    sum(ledger.messages.filter((line) => line.stream === stream).map((line) => line.unaccounted)),
    ledger.waiting.filter((line) => line.stream === stream),
  );

export const waitingOf = ({ waiting }: Pick<Ledger, "waiting">, stream: StreamName): number =>
  sum(waiting.filter((line) => line.stream === stream).map(({ count }) => count));

/**
 * True if all waiting messages wait for a scheduled load, the oldest for less than `seconds`.
 * Readers have no schedule, so a wait for stg returns false.
 */
export const isBetweenLoads = ({ waiting }: Pick<Ledger, "waiting">, seconds: number): boolean =>
  waiting.length > 0 &&
  waiting.every(
    ({ layer, oldestSeconds }) =>
      layer !== "stg" && oldestSeconds !== null && oldestSeconds < seconds,
  );

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
