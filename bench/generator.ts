import { STREAMS } from "../contract/streams.ts";
import { DAY, HOUR } from "../contract/time.ts";
import { type BackfillConfig, runBackfill } from "../generator/backfill.ts";
import { catalogueDonors } from "../generator/catalogue/donors.ts";
import { parseConfig } from "../generator/config.ts";
import { DonorPool } from "../generator/model/donors.ts";
import { Simulation } from "../generator/model/simulation.ts";
import { timeStringify } from "./reference/stringify.ts";

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Value of the reference for the same work, in the same unit; null without a reference. */
  readonly reference: number | null;
  readonly ratio: number | null;
  /** Limit of the ratio, or of the value if there is no reference. */
  readonly atLeast?: number;
  readonly atMost?: number;
}

const DAYS = 7;
const ROUNDS = 5;

/** Measures the model and a whole backfill, on one core, with default settings. */
export async function benchGenerator(): Promise<BenchRow[]> {
  const config = parseConfig({ GEN_SEED: "bench" });
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { model, reference } = compare(() => new Simulation(config, donors));
  const seconds = await timeBackfill({ ...config, tEnd: config.t0 + DAYS * DAY }, donors);
  return [
    {
      name: `model and serialisation, ${DAYS} model days`,
      value: Math.round(model),
      unit: "messages/s",
      reference: Math.round(reference),
      ratio: round(model / reference),
      atLeast: 0.7,
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

/** Returns the best of alternating rounds, because other load can only slow down a round. */
function compare(start: () => Simulation): { model: number; reference: number } {
  let model = 0;
  let reference = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    model = Math.max(model, timeModel(start()));
    reference = Math.max(reference, timeReference(start()));
  }
  return { model, reference };
}

async function timeBackfill(config: BackfillConfig, donors: DonorPool): Promise<number> {
  const discard = { publish: async () => {}, close: async () => {} };
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await runBackfill(config, donors, discard);
    best = Math.min(best, (performance.now() - start) / 1000);
  }
  return best;
}

/** Measures the model. The search for line ends forces V8 to concatenate every message. */
function timeModel(simulation: Simulation): number {
  const t0 = simulation.modelTime;
  let messages = 0;
  let broken = 0;
  const start = performance.now();
  for (let hour = 1; hour <= DAYS * 24; hour += 1) {
    const batch = simulation.advance(t0 + hour * HOUR);
    for (const stream of STREAMS) {
      for (const value of batch[stream].values) broken += value.indexOf("\n") + 1;
      messages += batch[stream].values.length;
    }
  }
  const seconds = (performance.now() - start) / 1000;
  if (broken > 0) throw new Error("A message contains a line break");
  return messages / seconds;
}

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

/** Parses a message; returns nothing for truncated messages, which are not JSON. */
function parseSound(text: string): object[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;

if (import.meta.main) console.table(await benchGenerator());
