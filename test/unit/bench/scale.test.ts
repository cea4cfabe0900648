import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Costs, loadCost, loadSecondsAt } from "../../../bench/scale/costs.ts";
import {
  atOneSpeed,
  costOfHop,
  lineThrough,
  logarithmThrough,
  predict,
  totalOf,
  valueAt,
} from "../../../bench/scale/fit.ts";
import type {
  Hop,
  KafkaRun,
  ScaleMeasurements,
  ScaleRun,
} from "../../../bench/scale/measurement.ts";
import { sizingOf } from "../../../bench/scale/sizing.ts";
import { numbersIn } from "./numbers-in.ts";

const hopOf = (hop: string, cpuSeconds: number): Hop => ({
  ...{ hop, cpuSeconds, wallSeconds: 1, peakMiB: 1, referenceSeconds: 1 },
});

interface KnownCosts {
  readonly base: number;
  readonly perMessage: number;
  readonly perDoubling: number;
  readonly perNew: number;
  readonly perHistory: number;
  readonly fixed: number;
}

/** A run whose steps take known times per message, and whose loads take known times. */
const runOf = (
  messages: number,
  { base, perMessage, perDoubling, perNew, perHistory, fixed }: KnownCosts,
): ScaleRun => ({
  messages,
  days: 1,
  hops: [
    hopOf("load_ods", ((base + perDoubling * Math.log2(messages)) * messages) / 1e6),
    hopOf("load_dds", ((base + perMessage * messages) * messages) / 1e6),
  ],
  layers: [{ layer: "stg", bytes: 100 * messages }],
  loads: [0.01, 0.01, 0.03].map((part) => {
    const newMessages = part * messages;
    const micros = fixed * 1e6 + perNew * newMessages + perHistory * messages;
    return { newMessages, hops: [hopOf("load_ods", micros / 1e6)] };
  }),
});

const runsOf = (known: KnownCosts): ScaleMeasurements["runs"] => [
  runOf(10e6, known),
  runOf(30e6, known),
  runOf(100e6, known),
];

const KAFKA: KafkaRun = {
  ...{ messages: 1e6, bytes: 1, generatorMiB: 1, brokerMiB: 1, referenceSeconds: 1 },
  ...{ generatorCpuSeconds: 1, brokerCpuSeconds: 2, brokerReadCpuSeconds: 3, readerCpuSeconds: 4 },
};

const number = fc.double({ min: 0.01, max: 100, noNaN: true });
const growth = fc.double({ min: 0, max: 1e-6, noNaN: true });
const rising = fc.record({ base: number, perMessage: growth, perDoubling: number });
const known: fc.Arbitrary<KnownCosts> = fc.record({
  ...{ base: number, perNew: number, fixed: number },
  ...{ perMessage: growth, perDoubling: number },
  ...{ perHistory: fc.double({ min: 0, max: 1, noNaN: true }) },
});

test("costs that grow as assumed are predicted", () => {
  fc.assert(
    fc.property(known, (each) => {
      const predictions = predict(runsOf(each));
      expect(predictions.map(({ hop }) => hop)).toEqual(["load_ods", "load_dds"]);
      for (const { predicted, measured } of [...predictions, totalOf(predictions)]) {
        expect(predicted / measured).toBeCloseTo(1, 6);
      }
    }),
  );
});

test("the costs of a load, of a new message and of the history are separated", () => {
  fc.assert(
    fc.property(known, number, (each, millions) => {
      const [one, other] = [runOf(10e6, each), runOf(30e6, each)];
      const cost = loadCost(one, other);
      expect(cost.perNew / each.perNew).toBeCloseTo(1, 6);
      const [history, messages] = [100e6, millions * 1e6];
      const seconds = each.fixed + (each.perNew * messages + each.perHistory * history) / 1e6;
      expect(loadSecondsAt(cost, history, messages) / seconds).toBeCloseTo(1, 6);
    }),
  );
});

test.each([lineThrough, logarithmThrough])("%o goes through both points", (through) => {
  const curve = through([1e6, 3.1], [2e6, 5.2]);
  expect(valueAt(curve, 1e6)).toBeCloseTo(3.1, 9);
  expect(valueAt(curve, 2e6)).toBeCloseTo(5.2, 9);
});

test("a run on a slower machine costs the same", () => {
  const slow = <T extends object>(value: T, factor: number): T =>
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        name.endsWith("Seconds") ? each * factor : each,
      ]),
    ) as T;
  const slowRun = (run: ScaleRun, factor: number): ScaleRun => ({
    ...run,
    hops: run.hops.map((hop) => slow(hop, factor)),
    loads: run.loads.map((load) => ({ ...load, hops: load.hops.map((hop) => slow(hop, factor)) })),
  });
  const factor = fc.double({ min: 1, max: 5, noNaN: true });
  fc.assert(
    fc.property(known, fc.tuple(factor, factor, factor), (each, [ofOne, ofOther, ofKafka]) => {
      const [one, other, last] = runsOf(each);
      const even = { date: "", cores: 2, runs: [one, other, last], kafka: [KAFKA] } as const;
      const uneven = {
        ...even,
        runs: [slowRun(one, ofOne), slowRun(other, ofOther), last],
        kafka: [slow(KAFKA, ofKafka)],
      } as const;
      const [expected, found] = [even, uneven].map(atOneSpeed).map(numbersIn);
      expect(found).toHaveLength(expected?.length ?? 0);
      for (const [index, value] of (found ?? []).entries()) {
        expect(value / (expected?.[index] ?? 0)).toBeCloseTo(1, 9);
      }
    }),
  );
});

test("a hop that a run lacks is named", () => {
  const run = runOf(1e6, {
    base: 1,
    perMessage: 0,
    perDoubling: 0,
    perNew: 1,
    perHistory: 0,
    fixed: 1,
  });
  expect(() => costOfHop(run, "prove")).toThrow("1000000 messages has no hop prove");
});

const share = fc.double({ min: 0.1, max: 1, noNaN: true });
const NOTHING = { base: 0, perMessage: 0, perDoubling: 0 };
const FULL = { load: 1, refresh: 1 };

const costs: fc.Arbitrary<Costs> = fc.record({
  generator: number,
  brokerWrite: number,
  brokerRead: number,
  reader: number,
  load: fc.record({ perNew: number, rest: rising }),
  refresh: rising,
  usage: fc.record({ load: share, refresh: share }),
  topicBytes: number,
  layerBytes: number,
});

describe("the sizing", () => {
  test("never needs less for more messages", () => {
    const perDay = fc.integer({ min: 1, max: 10e9 });
    fc.assert(
      fc.property(costs, perDay, perDay, (each, one, other) => {
        const [few, many] = [Math.min(one, other), Math.max(one, other)].map((messages) =>
          sizingOf(each, messages),
        );
        for (const name of ["brokers", "partitions", "databaseCores", "bytesPerMonth"] as const) {
          expect(many?.[name]).toBeGreaterThanOrEqual(few?.[name] ?? Number.NaN);
        }
        expect(many?.exceeded).toEqual(expect.arrayContaining([...(few?.exceeded ?? [])]));
      }),
    );
  });

  test("gives the cores that the peak needs at half of their time", () => {
    const each: Costs = {
      ...{ generator: 1, brokerWrite: 1, brokerRead: 1, reader: 10, topicBytes: 30 },
      ...{ load: { perNew: 6, rest: NOTHING }, layerBytes: 100 },
      refresh: NOTHING,
      usage: FULL,
    };
    // 86.4 M a day are 1,000 a second, at the peak 2,000: 32 ms of a core per second, doubled.
    expect(sizingOf(each, 86.4e6)).toMatchObject({ databaseCores: 2, brokers: 1, partitions: 4 });
    expect(sizingOf(each, 8.64e9)).toMatchObject({ databaseCores: 7, tier: "external" });
    expect(sizingOf(each, 8.64e9).bytesPerMonth).toBeCloseTo(25.92e12);
  });

  test("adds the work of a load that grows with the history of a month", () => {
    const load = { perNew: 0, rest: { ...NOTHING, perMessage: 1e-6 } };
    const each: Costs = {
      ...{ generator: 1, brokerWrite: 1, brokerRead: 1, reader: 0, topicBytes: 30, load },
      ...{ layerBytes: 100, refresh: NOTHING, usage: { load: 0.5, refresh: 1 } },
    };
    // 720 M a day are 21,600 M a month, whose load takes 21,600 s of each hour at half a core: 12 cores.
    expect(sizingOf(each, 720e6)).toMatchObject({ databaseCores: 12, hourlyLoadSeconds: 3_600 });
  });
});
