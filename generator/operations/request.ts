import type { Micros } from "../../contract/time.ts";
import type { Settings } from "../fingerprint.ts";

export const OPERATIONS = ["live", "backfill", "import", "continue", "clean_start"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** `begin_epoch` clears the state, `wipe` all messages. */
export type Step = "begin_epoch" | "wipe" | "backfill" | "import" | "live";

export interface DecisionRequest {
  readonly operation: Operation;
  readonly settings: Settings;
  readonly tEnd: Micros | null;
  /** The end was given as now-…, so a history begun at another instant still matches. */
  readonly tEndIsRelative: boolean;
  readonly checksum: string | null;
  /** GEN_STATE_RESET: clears the instance's own state. */
  readonly reset: boolean;
  /** GEN_STATE_ENABLED: without it every start is a first one. */
  readonly stateEnabled: boolean;
  readonly confirmed: boolean;
  readonly enabled: boolean;
}
