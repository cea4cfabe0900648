import { STREAMS } from "../contract/streams.ts";
import { HOUR } from "../contract/time.ts";
import { simulationOf } from "../generator/behaviour/behaviour.ts";
import { catalogueDonors } from "../generator/catalogue/donors.ts";
import { parseConfig } from "../generator/config.ts";
import { DonorPool } from "../generator/model/donors.ts";
import type { Simulation } from "../generator/model/simulation.ts";
import { advanceHours } from "./measure.ts";
import type { BenchRow } from "./verdict.ts";

const DAYS = 7;
const ROUNDS = 5;

/** Measures the model on one core, with default settings. */
export function benchGenerator(): BenchRow {
  const config = parseConfig({ GEN_SEED: "bench" });
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { model, reference } = compare(() => simulationOf(config, donors));
  return {
    name: `model and serialisation of ${DAYS} model days, compared with JSON.stringify`,
    value: Math.round(model),
    unit: "messages/s",
    reference: Math.round(reference),
    ratio: Math.round((100 * model) / reference) / 100,
    atLeast: 0.7,
  };
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

function timeModel(simulation: Simulation): number {
  const start = performance.now();
  const messages = advanceHours(simulation, DAYS * 24);
  return messages / ((performance.now() - start) / 1000);
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

/** Measures JSON serialisation, the minimum work of a generator, seconds. */
function timeStringify(objects: readonly object[]): number {
  const start = performance.now();
  const texts: string[] = [];
  for (const object of objects) texts.push(JSON.stringify(object));
  const seconds = (performance.now() - start) / 1000;
  if (texts.length !== objects.length)
    throw new Error("unreachable; prevents removal of the texts");
  return seconds;
}

/** Parses a message; returns nothing for truncated messages, which are not JSON. */
function parseSound(text: string): object[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

if (import.meta.main) console.table([benchGenerator()]);
