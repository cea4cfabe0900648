import { UserError } from "../contract/errors.ts";
import { MANIFEST_VERSION, type Manifest, manifestSchema } from "../contract/manifest.ts";
import type { MessageBatch } from "../contract/ports.ts";
import type { SettingsHistory } from "../contract/settings.ts";
import { HOUR, isoMicros, type Micros } from "../contract/time.ts";
import { simulationOf, truthOf } from "./behaviour/behaviour.ts";
import type { ModelConfig } from "./behaviour/config.ts";
import { checksumOf } from "./canonical.ts";
import { GeneratorCounters } from "./counters.ts";
import { fingerprintOf, settingsAfter } from "./fingerprint.ts";
import type { DonorPool } from "./model/donors.ts";
import type { Simulation } from "./model/simulation.ts";
import { decodeState, encodeState, type StateV3 } from "./model/state.ts";

export class GeneratorRun {
  readonly simulation: Simulation;
  readonly #config: ModelConfig;
  readonly #donors: DonorPool;
  readonly #history: SettingsHistory;
  readonly #counters: GeneratorCounters;

  /** Starts or resumes a run. Changed settings apply from now on. @throws UserError as `settingsAfter` */
  constructor(config: ModelConfig, donors: DonorPool, from?: StateV3) {
    this.#config = config;
    this.#donors = donors;
    this.#history = settingsAfter(from, config, donors);
    this.simulation = simulationOf(config, donors, from && decodeState(from, donors));
    this.#counters = new GeneratorCounters(from?.sent);
  }

  get modelTime(): Micros {
    return this.simulation.modelTime;
  }

  advance(until: Micros): MessageBatch {
    const batch = this.simulation.advance(until);
    this.#counters.add(batch);
    return batch;
  }

  /** Advances to the next full hour since T0. */
  nextHour(end: Micros): MessageBatch {
    const { t0 } = this.#config;
    const done = Math.floor((this.modelTime - t0) / HOUR);
    return this.advance(Math.min(t0 + (done + 1) * HOUR, end));
  }

  state(): StateV3 {
    const { settings, earlier } = this.#history;
    return encodeState(this.simulation.snapshot(), {
      fingerprint: fingerprintOf(settings),
      settings,
      ...(earlier.length > 0 ? { earlier } : {}),
      t0_us: this.#config.t0,
      sent: this.#counters.snapshot(),
    });
  }

  /** Returns the manifest of a run that has reached `tEnd`. */
  manifest(tEnd: Micros): Manifest {
    const { simulation } = this;
    const { settings } = this.#history;
    const { sessions, rejectedSessions } = simulation.counters;
    const { counts, days, digests, sums } = this.#counters.snapshot();
    const truth = truthOf(this.#config, this.#donors, tEnd, rejectedSessions);
    const content = {
      version: MANIFEST_VERSION,
      seed: this.#config.seed,
      t0: isoMicros(this.#config.t0),
      t_end: isoMicros(tEnd),
      fingerprint: fingerprintOf(settings),
      settings,
      counts,
      days,
      users: simulation.users,
      visits: sessions,
      unborn: rejectedSessions,
      defects: structuredClone(simulation.defects),
      digests,
      sums,
      ...(truth ? { truth } : {}),
    };
    return manifestSchema.parse({ ...content, checksum: checksumOf(content) });
  }
}

/** Checks the requested end. @throws UserError if the state is already past it */
export function requireBefore(state: StateV3, tEnd: Micros): void {
  if (state.model_time_us <= tEnd) return;
  throw new UserError(
    `GEN_MODEL_T_END=${isoMicros(tEnd)}: the stored state is already at ${isoMicros(state.model_time_us)}`,
    "set a later end, or start over: pipeline generator clean-start --yes --t-end INSTANT",
  );
}

/** Lets timers, signals and HTTP requests run. */
export const yieldToEvents = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
