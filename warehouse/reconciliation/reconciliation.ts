import type { DefectKind } from "../../contract/defects.ts";
import type { LAYERS } from "../../contract/layers.ts";
import type { StreamName } from "../../contract/streams.ts";

/** `incomplete`: messages wait for a layer. `unaccounted`: messages are missing or duplicated. */
export type Verdict = "accounted" | "incomplete" | "unaccounted";

export type Layer = (typeof LAYERS)[number];

/** Counts of one stream and day. `day` is the model day of emission, empty if unknown. */
export interface MessageLine {
  readonly epoch: number;
  readonly stream: StreamName;
  readonly day: string;
  /** Messages that the sources sent; null if no source covers the day. */
  readonly generated: number | null;
  /** True if a source may have sent more; losses beyond `generated` do not show. */
  readonly isLowerBound?: true;
  /** Messages sent while the topic ends were read; 0 if the cut is exact. */
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
  /** Stream of the waiting messages; null for a step without waiting messages. */
  readonly stream: StreamName | null;
  /** Epoch of the messages, if known and not current. */
  readonly epoch?: number;
  readonly count: number;
  /** Wall-clock age of the oldest message; null if unknown. */
  readonly oldestSeconds: number | null;
  readonly step: string;
  /** True if a scheduled load should have taken the messages. */
  readonly isOverdue?: true;
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

/** Loads that a scheduler starts. */
export interface Schedule {
  readonly everySeconds: number;
  /** Time until the next load is due, 0 if it is due now. */
  readonly nextInSeconds: number;
}

export interface Reconciliation {
  /** Current epoch; `messages` covers all epochs. */
  readonly epoch: number;
  /** Checksum of the manifest; null without a manifest. */
  readonly checksum: string | null;
  /** Where the sent messages come from; `sent` for several kinds of sources. */
  readonly origin: "generated" | "in the file" | "collected" | "sent";
  readonly messages: readonly MessageLine[];
  readonly waiting: readonly WaitingLine[];
  readonly layers: readonly LayerLine[];
  readonly defects: readonly DefectLine[];
  readonly lost: readonly LostRow[];
  /** Messages that only ods has, and a rebuild would lose; 0 if all messages are accounted for. */
  readonly onlyCopies: number;
  readonly digests: readonly DigestLine[];
  /** Sentences that do not change the verdict, about unchecked data or interrupted loads. */
  readonly notes: readonly string[];
  /** Value of `--database` for hints; null on the stack, where make targets set it. */
  readonly database: string | null;
  /** Messages that a live source sent while the topic ends were read; 0 if the cut is exact. */
  readonly inFlight: number;
  readonly unaccounted: number;
  readonly verdict: Verdict;
  /** Undefined if nobody schedules loads. */
  readonly schedule?: Schedule;
  /** True if messages wait only for the next scheduled load. */
  readonly isOnTime?: boolean;
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

export type Messages = Pick<Reconciliation, "messages" | "waiting" | "isOnTime">;

/** Selects the lines of an epoch. Messages that wait for dds or dm count as the current epoch. */
export const ofEpoch = (
  reconciliation: Messages & Pick<Reconciliation, "epoch">,
  epoch: number,
): Messages => ({
  ...reconciliation,
  messages: reconciliation.messages.filter((line) => line.epoch === epoch),
  waiting: reconciliation.waiting.filter((line) => (line.epoch ?? reconciliation.epoch) === epoch),
});

export const streamVerdict = (reconciliation: Messages, stream: StreamName): Verdict =>
  verdictOf(
    sum(
      reconciliation.messages
        .filter((line) => line.stream === stream)
        .map((line) => line.unaccounted),
    ),
    reconciliation.waiting.filter((line) => line.stream === stream),
  );

export const waitingOf = (
  { waiting }: Pick<Reconciliation, "waiting">,
  stream: StreamName,
): number => sum(waiting.filter((line) => line.stream === stream).map(({ count }) => count));

/** True if messages wait only for a scheduled load; readers of stg have no schedule. */
export const isBetweenLoads = (
  { waiting }: Pick<Reconciliation, "waiting">,
  seconds: number,
): boolean =>
  waiting.length > 0 &&
  waiting.every(
    ({ layer, oldestSeconds }) =>
      layer !== "stg" && oldestSeconds !== null && oldestSeconds < seconds,
  );

/** Adds up the days of each stream. */
export const sumByStream = (lines: readonly MessageLine[]): MessageLine[] =>
  [...Map.groupBy(lines, ({ stream }) => stream).values()].map((own) =>
    own.map((line) => ({ ...line, day: "" })).reduce(addLines),
  );

const addLines = (a: MessageLine, b: MessageLine): MessageLine => ({
  ...a,
  ...(b.isLowerBound && { isLowerBound: true }),
  ...sums([a, b], COUNTS),
  generated: a.generated === null || b.generated === null ? null : a.generated + b.generated,
});

const COUNTS = [
  "inFlight",
  "undelivered",
  "raw",
  "typed",
  "rejected",
  "pending",
  "unaccounted",
] as const;

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** Adds up the numbers of these names. */
export const sums = <K extends string>(
  lines: readonly Readonly<Record<K, number>>[],
  names: readonly K[],
) =>
  Object.fromEntries(names.map((name) => [name, sum(lines.map((line) => line[name]))])) as Record<
    K,
    number
  >;
