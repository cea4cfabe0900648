import type { MessageBatch } from "../../../contract/ports.ts";
import { type Payload, STREAMS, type StreamName } from "../../../contract/streams.ts";
import { MINUTE, type Micros } from "../../../contract/time.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { type GeneratorConfig, parseConfig } from "../../../generator/config.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import { Simulation } from "../../../generator/model/simulation.ts";

/** A few hundred donors are as good as thousands here, and quicker to prepare. */
export const donors = new DonorPool(catalogueDonors("test", 300));

/** The wall clock of these tests: 15 June 2026, 12:00 UTC. */
export const NOW: Micros = 1_781_524_800_000_000;

/** The defaults without defects, and what the test is about. */
export const configWith = (env: Record<string, string> = {}): GeneratorConfig =>
  parseConfig({ GEN_DEFECTS: "none", ...env }, NOW);

/** Everything a run of so many model minutes emits, and the simulation at its end. */
export function simulate(config: GeneratorConfig, minutes: number) {
  const simulation = new Simulation(config, donors);
  const batch = simulation.advance(config.t0 + minutes * MINUTE);
  return { simulation, batch };
}

export const payloads = <S extends StreamName>(batch: MessageBatch, stream: S): Payload[S][] =>
  batch[stream].values.map((value) => JSON.parse(value) as Payload[S]);

/** All batches in one. */
export function joined(batches: readonly MessageBatch[]): MessageBatch {
  const join = (stream: StreamName) => ({
    keys: batches.flatMap((batch) => batch[stream].keys),
    values: batches.flatMap((batch) => batch[stream].values),
    emittedAt: batches.flatMap((batch) => batch[stream].emittedAt),
  });
  return {
    browser: join("browser"),
    location: join("location"),
    device: join("device"),
    geo: join("geo"),
  };
}

/** Names the first message that is not the same; null when all are. Quicker than toEqual. */
export function firstDifference(a: MessageBatch, b: MessageBatch): string | null {
  for (const stream of STREAMS) {
    const length = Math.max(a[stream].values.length, b[stream].values.length);
    for (let i = 0; i < length; i += 1) {
      const [one, other] = [a, b].map((batch) =>
        [batch[stream].keys[i], batch[stream].emittedAt[i], batch[stream].values[i]].join(" "),
      );
      if (one !== other) return `${stream} ${i}: ${one} | ${other}`;
    }
  }
  return null;
}

export const hoursAfter = (config: GeneratorConfig, hours: number): Micros =>
  config.t0 + hours * 60 * MINUTE;
