import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Costs, costsOf } from "../../../bench/scale/costs.ts";
import {
  costAt,
  costOfHop,
  lineThrough,
  predict,
  secondsOf,
  totalOf,
} from "../../../bench/scale/fit.ts";
import type { ScaleMeasurements, ScaleRun } from "../../../bench/scale/measurement.ts";
import { sizingOf } from "../../../bench/scale/sizing.ts";
import { sizingTable } from "../../../bench/scale/tables.ts";
import { readMeasurements } from "../../../bench/scale-model.ts";

/** A run whose step takes `base + growth × n` µs per message. */
const runOf = (messages: number, base: number, growth: number): ScaleRun => ({
  messages,
  newMessages: messages / 100,
  days: 1,
  hops: ["load_ods", "1 % more: load_ods"].map((hop) => ({
    hop,
    cpuSeconds: ((base + growth * messages) * messages) / 1e6,
    wallSeconds: 1,
    peakMiB: 1,
  })),
  layers: [{ layer: "stg", bytes: 100 * messages }],
});

const number = fc.double({ min: 0.01, max: 100, noNaN: true });
const growth = fc.double({ min: 0, max: 1e-6, noNaN: true });

test("costs on a line are predicted", () => {
  fc.assert(
    fc.property(number, growth, (base, each) => {
      const runs = [10e6, 30e6, 100e6].map((messages) => runOf(messages, base, each));
      const predictions = predict(runs as [ScaleRun, ScaleRun, ScaleRun]);
      expect(predictions.map(({ hop }) => hop)).toEqual(["load_ods"]);
      const { predicted, measured } = totalOf(predictions);
      expect(predicted).toBeCloseTo(measured, 6);
    }),
  );
});

test("the line goes through both runs", () => {
  const [one, other] = [runOf(1e6, 3, 1e-7), runOf(2e6, 5, 1e-7)] as const;
  const costOf = (run: ScaleRun): number => costOfHop(run, "load_ods");
  const line = lineThrough(one, other, costOf);
  for (const run of [one, other]) expect(costAt(line, run.messages)).toBeCloseTo(costOf(run), 9);
});

test("a machine whose speed changes costs the same", () => {
  fc.assert(
    fc.property(number, number, number, (cpuSeconds, referenceSeconds, slower) => {
      const hop = { hop: "prove", wallSeconds: 1, peakMiB: 1, cpuSeconds, referenceSeconds };
      const slowed = {
        ...hop,
        cpuSeconds: cpuSeconds * slower,
        referenceSeconds: referenceSeconds * slower,
      };
      expect(secondsOf(slowed) / secondsOf(hop)).toBeCloseTo(1, 9);
    }),
  );
});

test("a hop that a run lacks is named", () => {
  expect(() => costOfHop(runOf(1e6, 1, 0), "prove")).toThrow("1000000 messages has no hop prove");
});

const costs: fc.Arbitrary<Costs> = fc.record({
  generator: number,
  brokerWrite: number,
  brokerRead: number,
  reader: number,
  increment: number,
  incrementFixed: number,
  refresh: fc.record({ base: number, growth }),
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
      ...{ generator: 1, brokerWrite: 1, brokerRead: 1, reader: 10, increment: 6 },
      ...{ incrementFixed: 0, refresh: { base: 1, growth: 0 }, topicBytes: 30, layerBytes: 100 },
    };
    // 86.4 M a day are 1,000 a second, at the peak 2,000: 32 ms of a core per second, doubled.
    expect(sizingOf(each, 86.4e6)).toMatchObject({ databaseCores: 2, brokers: 1, partitions: 4 });
    expect(sizingOf(each, 8.64e9)).toMatchObject({ databaseCores: 7, tier: "external" });
    expect(sizingOf(each, 8.64e9).bytesPerMonth).toBeCloseTo(25.92e12);
  });
});

test("the recorded runs are about 10, 30 and 100 million messages", () => {
  const measured: ScaleMeasurements = readMeasurements();
  const sizes = measured.runs.map(({ messages }) => Math.round(messages / 1e6));
  expect(sizes[0]).toBeGreaterThanOrEqual(9);
  expect(sizes[1]).toBeGreaterThanOrEqual(29);
  expect(sizes[2]).toBeGreaterThanOrEqual(99);
  expect(Object.values(costsOf(measured)).every((value) => value !== 0)).toBe(true);
  expect(sizingTable(measured).rows).toHaveLength(4);
});
