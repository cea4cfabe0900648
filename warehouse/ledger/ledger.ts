import type { DefectKind } from "../../contract/defects.ts";
import type { LAYERS } from "../../contract/layers.ts";
import type { StreamName } from "../../contract/streams.ts";

/** `incomplete`: messages wait for a layer. `unaccounted`: messages are missing or doubled. */
export type Verdict = "accounted" | "incomplete" | "unaccounted";

export type Layer = (typeof LAYERS)[number];

/** `day` is the model day of emission, empty if unknown. */
export interface MessageLine {
  readonly epoch: number;
  readonly stream: StreamName;
  readonly day: string;
  /** Null if no source covers the day. */
  readonly generated: number | null;
  /** A source may have sent more than `generated`; losses among those do not show. */
  readonly isLowerBound?: true;
  /** Sent while the topic ends were read; 0 if the cut is exact. */
  readonly inFlight: number;
  readonly undelivered: number;
  readonly raw: number;
  readonly typed: number;
  readonly rejected: number;
  readonly pending: number;
  readonly unaccounted: number;
}

export interface WaitingLine {
  readonly layer: Layer;
  /** Null if no message waits. */
  readonly stream: StreamName | null;
  /** Set if it is known and not the current one. */
  readonly epoch?: number;
  readonly count: number;
  /** Wall-clock age of the oldest one; null if unknown. */
  readonly oldestSeconds: number | null;
  readonly step: string;
  readonly reason?: string;
  readonly hint: string;
}

export interface LayerLine {
  readonly layer: Layer;
  readonly identity: string;
  readonly expected: number;
  readonly found: number;
  readonly isCompared: boolean;
}

export interface DefectLine {
  readonly kind: DefectKind;
  readonly injected: number;
  readonly caught: number;
  readonly pending: number;
  readonly missed: number;
  readonly falseAlarms: number;
}

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
  /** Null without a manifest. */
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
  /** Null on a server. */
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

/** What waits for dds or dm counts as the current epoch. */
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

/** Readers have no schedule, so a wait for stg returns false. */
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
