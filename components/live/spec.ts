import type { StackConfig } from "../config.ts";
import { NO_OP_COMMAND } from "../shared/shell.ts";

/** Time limit of a backfill, its delivery to stg, or a batch on a slow machine, seconds. */
export const LIVE_STEP_SECONDS = 900;

const WAIT = `--wait ${LIVE_STEP_SECONDS}`;
const BATCH_DAG = "etl_pipeline";
const LIVE_DAG = "etl_live";

export interface LivePlan {
  /** Commands that fill the layers; null in bare mode. */
  readonly fill: { readonly history: readonly string[]; readonly load: readonly string[] } | null;
  /** Command that starts scheduled loads; null without a scheduler. */
  readonly schedule: string | null;
}

/** Settings that live mode reads from other blocks. */
export type LiveConfig = Pick<StackConfig, "mode" | "generator" | "scheduler">;

export function planLive({ mode, generator, scheduler }: LiveConfig): LivePlan {
  const isFed = generator.deploy && generator.enabled;
  const isLive = mode === "live" && isFed;
  return {
    fill: isLive
      ? {
          // The load does not need a running generator, and another load may have paused it.
          history: [`generator status ${WAIT} --accept-pause`, "stored"],
          load: scheduler.enabled ? BY_DAG : ["transform --no-full-refresh"],
        }
      : null,
    schedule: scheduler.enabled ? scheduleOf(mode, isFed) : null,
  };
}

// An operation on the generator leaves the DAG paused, which would block every load.
const BY_DAG = [
  `dag unpause ${BATCH_DAG}`,
  `dag run ${BATCH_DAG} --param full_refresh=false ${WAIT}`,
];

function scheduleOf(mode: StackConfig["mode"], isFed: boolean): string {
  if (mode === "bare") return `dag pause ${LIVE_DAG}`;
  return isFed ? `dag unpause ${LIVE_DAG}` : NO_OP_COMMAND;
}
