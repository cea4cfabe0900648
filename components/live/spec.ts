import type { StackConfig } from "../config.ts";
import { NOTHING } from "../shared/shell.ts";

/** Longest that a week of history, its way into stg, or a batch may take on a slow machine, seconds. */
export const LIVE_STEP_SECONDS = 900;

const WAIT = `--wait ${LIVE_STEP_SECONDS}`;
const BATCH_DAG = "etl_pipeline";
const LIVE_DAG = "etl_live";

/** Commands of the pipeline that fill a stack and keep it fresh. */
export interface LivePlan {
  /** Waits until the generator's history is in stg, and takes it through the layers; null in bare mode. */
  readonly fill: { readonly history: readonly string[]; readonly load: readonly string[] } | null;
  /** Switches the scheduled loads on or off; null where there is no scheduler. */
  readonly schedule: string | null;
}

/** Live mode loads nothing and switches nothing on while no generator publishes. */
export function planLive({ mode, generator, scheduler }: StackConfig): LivePlan {
  const isFed = generator.deploy && generator.enabled;
  const isLive = mode === "live" && isFed;
  return {
    fill: isLive
      ? {
          // A load has paused the generator, say: that keeps nobody from loading what is there.
          history: [`generator status ${WAIT} --accept-pause`, "stored"],
          load: scheduler.enabled ? BY_DAG : ["transform --no-full-refresh"],
        }
      : null,
    schedule: scheduler.enabled ? scheduleOf(mode, isFed) : null,
  };
}

// Paused, as an operation on the generator leaves it, the DAG would keep every load waiting.
const BY_DAG = [
  `dag unpause ${BATCH_DAG}`,
  `dag run ${BATCH_DAG} --param full_refresh=false ${WAIT}`,
];

function scheduleOf(mode: StackConfig["mode"], isFed: boolean): string {
  if (mode === "bare") return `dag pause ${LIVE_DAG}`;
  return isFed ? `dag unpause ${LIVE_DAG}` : NOTHING;
}
