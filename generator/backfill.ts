import { UserError } from "../contract/errors.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { MessageBatch, Publisher } from "../contract/ports.ts";
import { HOUR, isoMicros, type Micros } from "../contract/time.ts";
import type { ModelConfig } from "./config.ts";
import { fingerprintOf, type Settings, shapingSettings } from "./fingerprint.ts";
import { Ledger } from "./ledger.ts";
import { buildManifest } from "./manifest.ts";
import type { DonorPool } from "./model/donors.ts";
import { Simulation } from "./model/simulation.ts";
import { decodeState, encodeState, type StateV3 } from "./model/state.ts";
import { requireCompatible } from "./resume.ts";

/** What a backfill runs on: a configuration whose end is known. */
export interface BackfillConfig extends ModelConfig {
  readonly tEnd: Micros | null;
}

export interface BackfillProgress {
  readonly modelTime: Micros;
  /** Share of [t0, t_end) that is done, 0 to 1. */
  readonly ratio: number;
  /** Page events so far. */
  readonly events: number;
  readonly visits: number;
}

export interface BackfillOptions {
  /** Called after every batch. */
  readonly onProgress?: (progress: BackfillProgress) => void;
  /** Called after every published batch with the state to resume from. */
  readonly saveState?: (state: StateV3) => Promise<void>;
  /** State of an unfinished backfill of the same configuration. */
  readonly from?: StateV3;
}

export interface BackfillResult {
  readonly manifest: Manifest;
  readonly state: StateV3;
}

/**
 * Writes the history [t0, t_end), one model hour per batch. Memory does not depend on its length:
 * one batch is under way at a time.
 * @throws UserError when the end is missing, or `from` belongs to another configuration
 */
export async function runBackfill(
  config: BackfillConfig,
  donors: DonorPool,
  publisher: Publisher,
  options: BackfillOptions = {},
): Promise<BackfillResult> {
  const run = startRun(config, donors, options.from);
  while (run.simulation.modelTime < run.tEnd) {
    const batch = nextBatch(run);
    await publisher.publish(batch);
    run.ledger.add(batch);
    if (options.saveState) await options.saveState(stateOf(run));
    options.onProgress?.(progressOf(run));
    await breathe();
  }
  return { manifest: manifestOf(run), state: stateOf(run) };
}

interface Run {
  readonly config: ModelConfig;
  readonly tEnd: Micros;
  readonly settings: Settings;
  readonly simulation: Simulation;
  readonly ledger: Ledger;
}

function startRun(config: BackfillConfig, donors: DonorPool, from: StateV3 | undefined): Run {
  if (config.tEnd === null) throw new UserError("GEN_MODEL_T_END is not set: a backfill needs it");
  if (from) requireCompatible(from, config, donors);
  if (from && from.model_time_us > config.tEnd) {
    throw new UserError(
      `GEN_MODEL_T_END=${isoMicros(config.tEnd)}: the stored state is already at ${isoMicros(from.model_time_us)}`,
    );
  }
  const state = from ? decodeState(from, donors) : undefined;
  return {
    config,
    tEnd: config.tEnd,
    settings: shapingSettings(config, donors.digest),
    simulation: new Simulation(config, donors, state),
    ledger: new Ledger(from?.ledger),
  };
}

/** Batches end at full hours counted from t0, wherever the run was resumed. */
function nextBatch(run: Run): MessageBatch {
  const done = Math.floor((run.simulation.modelTime - run.config.t0) / HOUR);
  const until = run.config.t0 + (done + 1) * HOUR;
  return run.simulation.advance(Math.min(until, run.tEnd));
}

const stateOf = (run: Run): StateV3 =>
  encodeState(run.simulation.snapshot(), {
    fingerprint: fingerprintOf(run.settings),
    settings: run.settings,
    t0_us: run.config.t0,
    ledger: run.ledger.snapshot(),
  });

function manifestOf({ config, tEnd, settings, simulation, ledger }: Run): Manifest {
  return buildManifest({
    seed: config.seed,
    t0: config.t0,
    tEnd,
    fingerprint: fingerprintOf(settings),
    ledger: ledger.snapshot(),
    users: simulation.users,
    visits: simulation.counters.visits,
    unborn: simulation.counters.unborn,
    defects: structuredClone(simulation.defects),
  });
}

function progressOf({ config, tEnd, simulation }: Run): BackfillProgress {
  return {
    modelTime: simulation.modelTime,
    ratio: (simulation.modelTime - config.t0) / (tEnd - config.t0),
    events: simulation.counters.events,
    visits: simulation.counters.visits,
  };
}

/** Lets timers, signals and the HTTP endpoint have their turn. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
