import { describe, expect, test } from "vitest";
import { costsOf, loadSecondsAt } from "../../../bench/scale/costs.ts";
import { allHops, hopNames, predict, totalOf, valueAt } from "../../../bench/scale/fit.ts";
import type { ScaleMeasurements } from "../../../bench/scale/measurement.ts";
import { sizingTable } from "../../../bench/scale/tables.ts";
import { readMeasurements } from "../../../bench/scale-model.ts";
import { numbersIn } from "./numbers-in.ts";

describe("the record of the cost of a message", () => {
  const measured: ScaleMeasurements = readMeasurements();

  test("is of about 10, 30 and 100 million messages", () => {
    const sizes = measured.runs.map(({ messages }) => Math.round(messages / 1e6));
    expect(sizes[0]).toBeGreaterThanOrEqual(9);
    expect(sizes[1]).toBeGreaterThanOrEqual(29);
    expect(sizes[2]).toBeGreaterThanOrEqual(99);
  });

  test("has the same hops, layers and loads of each size", () => {
    const shapes = measured.runs.map((run) => ({
      hops: hopNames(run),
      layers: run.layers.map(({ layer }) => layer).sort(),
      loads: run.loads.map(({ hops }) => hops.map(({ hop }) => hop)),
    }));
    expect(shapes[1]).toEqual(shapes[0]);
    expect(shapes[2]).toEqual(shapes[0]);
    expect(shapes[0]?.layers).toEqual(["dds", "dm", "ods", "stg"]);
    expect(shapes[0]?.loads).toHaveLength(3);
    expect(measured.runs.flatMap(({ hops }) => hops).every(({ peakMiB }) => peakMiB > 0)).toBe(
      true,
    );
  });

  test("predicts the sum of the largest run within 15 %, and stays below 4 GiB", () => {
    const { predicted, measured: cost } = totalOf(predict(measured.runs));
    expect(Math.abs(predicted / cost - 1)).toBeLessThan(0.15);
    const hops = measured.runs.flatMap(allHops);
    expect(Math.max(...hops.map(({ peakMiB }) => peakMiB))).toBeLessThan(4096);
  });

  test("gives every cost and every row of the table", () => {
    const { refresh, load, ...others } = costsOf(measured);
    for (const { messages } of measured.runs) {
      expect(valueAt(refresh, messages)).toBeGreaterThan(0);
      expect(loadSecondsAt(load, messages, 0)).toBeGreaterThan(0);
    }
    const numbers = [load.perNew, ...numbersIn(others)];
    expect(numbers.length).toBeGreaterThan(8);
    for (const value of numbers) expect(value).toBeGreaterThan(0);
    expect(sizingTable(measured).rows).toHaveLength(4);
  });
});
