import type { Hop, ScaleRun } from "./measurement.ts";

const MICROS = 1e6;

/** Cost of one message in a history of n messages: `base + growth × n`, in microseconds. */
export interface Line {
  readonly base: number;
  readonly growth: number;
}

export const costAt = ({ base, growth }: Line, messages: number): number =>
  base + growth * messages;

/** Returns the line through the costs of two runs. */
export function lineThrough(
  one: ScaleRun,
  other: ScaleRun,
  costOf: (run: ScaleRun) => number,
): Line {
  const [first, second] = [costOf(one), costOf(other)];
  const growth = (second - first) / (other.messages - one.messages);
  return { base: first - growth * one.messages, growth };
}

/** Processor seconds of the fixed work on an idle core; the costs of hops are scaled to it. */
const REFERENCE_SECONDS = 0.5;

/** Processor seconds of a hop on an idle core: other work on the machine changes its speed up to twofold. */
export const secondsOf = ({ cpuSeconds, referenceSeconds = REFERENCE_SECONDS }: Hop): number =>
  (cpuSeconds / referenceSeconds) * REFERENCE_SECONDS;

/** Returns the processor time of one hop per message, µs. @throws Error if the run lacks the hop */
export function costOfHop({ hops, messages }: ScaleRun, hop: string): number {
  const found = hops.find((each) => each.hop === hop);
  if (!found) throw new Error(`The run of ${messages} messages has no hop ${hop}`);
  return (secondsOf(found) * MICROS) / messages;
}

/** Prefix of the hops that load one more percent. */
export const INCREMENT = "1 % more: ";

/** Hops over the whole history, in order. */
export const wholeHops = ({ hops }: ScaleRun): string[] =>
  hops.map(({ hop }) => hop).filter((hop) => !hop.startsWith(INCREMENT));

/** Steps of a full refresh. */
export const refreshHops = (run: ScaleRun): string[] =>
  wholeHops(run).filter((hop) => run.hops.some((each) => each.hop === INCREMENT + hop));

/** Microseconds of processor time per message. */
export interface Prediction {
  readonly hop: string;
  readonly predicted: number;
  readonly measured: number;
}

/** Predicts the last run from the first two, hop by hop. */
export const predict = ([one, other, last]: readonly [
  ScaleRun,
  ScaleRun,
  ScaleRun,
]): Prediction[] =>
  wholeHops(last).map((hop) => {
    const costOf = (run: ScaleRun): number => costOfHop(run, hop);
    const predicted = costAt(lineThrough(one, other, costOf), last.messages);
    return { hop, predicted, measured: costOf(last) };
  });

export const totalOf = (predictions: readonly Prediction[]): Prediction => ({
  hop: "all hops",
  predicted: sum(predictions.map(({ predicted }) => predicted)),
  measured: sum(predictions.map(({ measured }) => measured)),
});

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
