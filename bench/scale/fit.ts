import type { Hop, KafkaRun, ScaleMeasurements, ScaleRun } from "./measurement.ts";

const MICROS = 1e6;

/** A cost of n messages, or after n messages: `base + perMessage × n + perDoubling × log2(n)`. */
export interface Growth {
  readonly base: number;
  readonly perMessage: number;
  readonly perDoubling: number;
}

export const valueAt = ({ base, perMessage, perDoubling }: Growth, n: number): number =>
  base + perMessage * n + perDoubling * Math.log2(n);

export const sumOf = (growths: readonly Growth[]): Growth => ({
  base: sum(growths.map(({ base }) => base)),
  perMessage: sum(growths.map(({ perMessage }) => perMessage)),
  perDoubling: sum(growths.map(({ perDoubling }) => perDoubling)),
});

type Point = readonly [n: number, value: number];

export function lineThrough([n, value]: Point, [otherN, otherValue]: Point): Growth {
  const perMessage = (otherValue - value) / (otherN - n);
  return { base: value - perMessage * n, perMessage, perDoubling: 0 };
}

export function logarithmThrough([n, value]: Point, [otherN, otherValue]: Point): Growth {
  const perDoubling = (otherValue - value) / Math.log2(otherN / n);
  return { base: value - perDoubling * Math.log2(n), perMessage: 0, perDoubling };
}

/**
 * Returns the measurements with all times as in the record's fastest run, because the speed of
 * the machine differs from day to day. The speed of a run is that of its fastest fixed work: merges of
 * the run itself slow down the others.
 */
export function atOneSpeed(measured: ScaleMeasurements): ScaleMeasurements {
  const { runs, kafka } = measured;
  const fastest = Math.min(...runs.map(referenceOf), ...kafka.map((run) => run.referenceSeconds));
  const ofRun = (run: ScaleRun): ScaleRun => {
    const factor = fastest / referenceOf(run);
    const scaled = (hop: Hop): Hop => ({
      ...hop,
      cpuSeconds: hop.cpuSeconds * factor,
      wallSeconds: hop.wallSeconds * factor,
      referenceSeconds: hop.referenceSeconds * factor,
    });
    const loads = run.loads.map((load) => ({ ...load, hops: load.hops.map(scaled) }));
    return { ...run, hops: run.hops.map(scaled), loads };
  };
  return {
    ...measured,
    runs: [ofRun(runs[0]), ofRun(runs[1]), ofRun(runs[2])],
    kafka: kafka.map((run) => ofKafka(run, fastest / run.referenceSeconds)),
  };
}

/** Returns the processor seconds of the fixed work in a run's fastest moment. */
const referenceOf = (run: ScaleRun): number =>
  Math.min(...allHops(run).map(({ referenceSeconds }) => referenceSeconds));

/** Returns the hops of the history and of the incremental loads. */
export const allHops = ({ hops, loads }: ScaleRun): Hop[] => [
  ...hops,
  ...loads.flatMap((load) => load.hops),
];

const ofKafka = (run: KafkaRun, factor: number): KafkaRun => ({
  ...run,
  generatorCpuSeconds: run.generatorCpuSeconds * factor,
  brokerCpuSeconds: run.brokerCpuSeconds * factor,
  brokerReadCpuSeconds: run.brokerReadCpuSeconds * factor,
  readerCpuSeconds: run.readerCpuSeconds * factor,
  referenceSeconds: run.referenceSeconds * factor,
});

/** Returns the processor time of one hop per message, µs. @throws Error if the run lacks the hop */
export function costOfHop({ hops, messages }: ScaleRun, hop: string): number {
  const found = hops.find((each) => each.hop === hop);
  if (!found) throw new Error(`The run of ${messages} messages has no hop ${hop}`);
  return (found.cpuSeconds * MICROS) / messages;
}

export const hopNames = ({ hops }: ScaleRun): string[] => hops.map(({ hop }) => hop);

/** Steps that read all messages once for each bucket. */
const READS_ALL_PER_BUCKET = ["load_dds"];

/** Returns the cost of a hop per message, µs. Sorts and merges touch a row about log n times. */
export function growthOfHop(hop: string, one: ScaleRun, other: ScaleRun): Growth {
  const through = READS_ALL_PER_BUCKET.includes(hop) ? lineThrough : logarithmThrough;
  const point = (run: ScaleRun): Point => [run.messages, costOfHop(run, hop)];
  return through(point(one), point(other));
}

/** Microseconds of processor time per message. */
export interface Prediction {
  readonly hop: string;
  readonly predicted: number;
  readonly measured: number;
}

/** Predicts the last run from the first two, hop by hop. */
export const predict = ([one, other, last]: ScaleMeasurements["runs"]): Prediction[] =>
  hopNames(last).map((hop) => ({
    hop,
    predicted: valueAt(growthOfHop(hop, one, other), last.messages),
    measured: costOfHop(last, hop),
  }));

export const totalOf = (predictions: readonly Prediction[]): Prediction => ({
  hop: "all hops",
  predicted: sum(predictions.map(({ predicted }) => predicted)),
  measured: sum(predictions.map(({ measured }) => measured)),
});

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
