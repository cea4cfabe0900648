/**
 * Predicts the cost of 100 million messages from runs with 10 and 30 million, and computes what a
 * number of messages per day needs. Reads bench/results/scale.json.
 * node bench/scale-model.ts [--measure]     --measure runs all again first: about an hour, 30 GB of disk
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "../terminal/format.ts";
import { atOneSpeed } from "./scale/fit.ts";
import type { KafkaRun, ScaleMeasurements, ScaleRun } from "./scale/measurement.ts";
import { loadTable, predictionTable, sizingTable } from "./scale/tables.ts";

const FILE = join(import.meta.dirname, "results/scale.json");
const SIZES = [10e6, 30e6, 100e6] as const;

function child<T>(program: string, ...args: readonly string[]): T {
  const file = join(import.meta.dirname, "scale", program);
  const { stdout, status } = spawnSync(process.execPath, [file, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
  return JSON.parse(/^MEASURED (.*)$/m.exec(stdout)?.[1] ?? "") as T;
}

function measureAll(): ScaleMeasurements {
  const run = (size: number) => child<ScaleRun>("run.ts", String(size));
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    runs: [run(SIZES[0]), run(SIZES[1]), run(SIZES[2])],
    kafka: child<KafkaRun[]>("kafka-run.ts"),
  };
}

/** Reads the recorded measurements, with all times at one speed. */
export const readMeasurements = (): ScaleMeasurements =>
  atOneSpeed(JSON.parse(readFileSync(FILE, "utf8")) as ScaleMeasurements);

if (import.meta.main) {
  const { values } = parseArgs({ options: { measure: { type: "boolean", default: false } } });
  if (values.measure) writeFileSync(FILE, `${JSON.stringify(measureAll(), null, 2)}\n`);
  const measured = readMeasurements();
  const tables = [predictionTable, loadTable, sizingTable].map((table) => table(measured));
  for (const { head, rows } of tables) {
    console.log(
      renderTable(
        [...head],
        rows.map((row) => [...row]),
      ),
    );
  }
}
