import type { MessageBatch } from "../../../contract/ports.ts";
import { EVENT_TYPES, type Payload, STREAMS, type StreamName } from "../../../contract/streams.ts";
import { MINUTE, type Micros } from "../../../contract/time.ts";
import { simulationOf } from "../../../generator/behaviour/behaviour.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { type GeneratorConfig, parseConfig } from "../../../generator/config.ts";
import { DonorPool } from "../../../generator/model/donors.ts";

/** A few hundred donors give the same results here as thousands, and load faster. */
export const donors = new DonorPool(catalogueDonors("test", 300));

/** The wall clock of these tests: 15 June 2026, 12:00 UTC. */
export const NOW: Micros = 1_781_524_800_000_000;

/** The defaults without defects, with the test's own settings. */
export const configWith = (env: Record<string, string> = {}): GeneratorConfig =>
  parseConfig({ GEN_DEFECTS: "none", ...env }, NOW);

/** All messages of a run of this many model minutes, and the simulation at its end. */
export function simulate(config: GeneratorConfig, minutes: number) {
  const simulation = simulationOf(config, donors);
  const batch = simulation.advance(config.t0 + minutes * MINUTE);
  return { simulation, batch };
}

export const payloads = <S extends StreamName>(batch: MessageBatch, stream: S): Payload[S][] =>
  batch[stream].values.map((value) => JSON.parse(value) as Payload[S]);

export const isPageEvent = ({ event_type }: { event_type: string }): boolean =>
  EVENT_TYPES.some((type) => type === event_type);

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

/** Names the first different message; null if all are equal. Faster than toEqual. */
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
