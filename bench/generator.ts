import { STREAMS } from "../contract/streams.ts";
import { DAY, HOUR } from "../contract/time.ts";
import { runBackfill } from "../generator/backfill.ts";
import { catalogueDonors } from "../generator/catalogue/donors.ts";
import { parseConfig } from "../generator/config.ts";
import { DonorPool } from "../generator/model/donors.ts";
import { Simulation } from "../generator/model/simulation.ts";
import { timeStringify } from "./reference/stringify.ts";

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The same work by the reference, in the same unit; null where there is none. */
  readonly reference: number | null;
  /** value / reference */
  readonly ratio: number | null;
}

const DAYS = 7;
const ROUNDS = 5;

/** Speed of the model and of a whole backfill, on one core, at default settings. */
export async function benchGenerator(): Promise<BenchRow[]> {
  const config = parseConfig({ GEN_SEED: "bench" });
  const donors = new DonorPool(catalogueDonors(config.seed));
  const tEnd = config.t0 + DAYS * DAY;
  const model = best(() => timeModel(new Simulation(config, donors)));
  const reference = best(() => timeReference(new Simulation(config, donors)));
  const discard = { publish: async () => {}, close: async () => {} };
  let seconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await runBackfill({ ...config, tEnd }, donors, discard);
    seconds = Math.min(seconds, (performance.now() - start) / 1000);
  }
  return [
    {
      name: `model and serialisation, ${DAYS} model days`,
      value: Math.round(model),
      unit: "messages/s",
      reference: Math.round(reference),
      ratio: round(model / reference),
    },
    {
      name: `backfill of ${DAYS} model days with digests`,
      value: round(seconds),
      unit: "s",
      reference: null,
      ratio: null,
    },
  ];
}

/** Messages per second, texts made flat: concatenated parts would only put the work off. */
function timeModel(simulation: Simulation): number {
  const t0 = simulation.modelTime;
  let messages = 0;
  const start = performance.now();
  for (let hour = 1; hour <= DAYS * 24; hour += 1) {
    const batch = simulation.advance(t0 + hour * HOUR);
    for (const stream of STREAMS) {
      for (const value of batch[stream].values) Buffer.byteLength(value);
      messages += batch[stream].values.length;
    }
  }
  return messages / ((performance.now() - start) / 1000);
}

/** Messages per second of JSON.stringify on the objects of the same messages, hour by hour. */
function timeReference(simulation: Simulation): number {
  const t0 = simulation.modelTime;
  let messages = 0;
  let seconds = 0;
  for (let hour = 1; hour <= DAYS * 24; hour += 1) {
    const batch = simulation.advance(t0 + hour * HOUR);
    for (const stream of STREAMS) {
      const objects = batch[stream].values.flatMap(parseSound);
      messages += objects.length;
      seconds += timeStringify(objects);
    }
  }
  return messages / seconds;
}

/** Messages cut off on purpose are no objects. */
function parseSound(text: string): object[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** The best of several rounds: other processes can only slow a round down. */
const best = (round: () => number): number =>
  Math.max(...Array.from({ length: ROUNDS }, () => round()));

const round = (value: number): number => Math.round(value * 100) / 100;

if (import.meta.main) console.table(await benchGenerator());
