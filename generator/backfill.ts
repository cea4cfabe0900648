import { UserError } from "../contract/errors.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { Publisher } from "../contract/ports.ts";
import type { Micros } from "../contract/time.ts";
import type { ModelConfig } from "./behaviour/config.ts";
import type { DonorPool } from "./model/donors.ts";
import type { StateV3 } from "./model/state.ts";
import { GeneratorRun, requireBefore, yieldToEvents } from "./run.ts";

const SET_END =
  "set GEN_MODEL_T_END=2026-01-08T00:00:00Z (or now-1h, now), or run pipeline generator backfill --t-end INSTANT";

export interface BackfillConfig extends ModelConfig {
  readonly tEnd: Micros | null;
}

export interface BackfillProgress {
  readonly modelTime: Micros;
  readonly ratio: number;
  readonly events: number;
  readonly sessions: number;
}

export interface BackfillOptions {
  readonly onProgress?: (progress: BackfillProgress) => void;
  readonly saveState?: (state: StateV3) => Promise<void>;
  /** State of an unfinished backfill with the same configuration. */
  readonly from?: StateV3;
}

interface BackfillResult {
  readonly manifest: Manifest;
  readonly state: StateV3;
}

/** Writes [t0, t_end) in batches of one model hour. @throws UserError if `from` does not match */
export async function runBackfill(
  config: BackfillConfig,
  donors: DonorPool,
  publisher: Publisher,
  options: BackfillOptions = {},
): Promise<BackfillResult> {
  const tEnd = requireEnd(config.tEnd);
  const run = new GeneratorRun(config, donors, options.from);
  if (options.from) requireBefore(options.from, tEnd);
  while (run.modelTime < tEnd) {
    await publisher.publish(run.nextHour(tEnd));
    if (options.saveState) await options.saveState(run.state());
    options.onProgress?.(progressOf(run, config.t0, tEnd));
    await yieldToEvents();
  }
  return { manifest: run.manifest(tEnd), state: run.state() };
}

/** Returns the end of the history. @throws UserError if it is not set */
export function requireEnd(tEnd: Micros | null): Micros {
  if (tEnd !== null) return tEnd;
  throw new UserError("GEN_MODEL_T_END is not set, but a backfill requires an end", SET_END);
}

function progressOf({ simulation }: GeneratorRun, t0: Micros, tEnd: Micros): BackfillProgress {
  return {
    modelTime: simulation.modelTime,
    ratio: (simulation.modelTime - t0) / (tEnd - t0),
    events: simulation.counters.events,
    sessions: simulation.counters.sessions,
  };
}
