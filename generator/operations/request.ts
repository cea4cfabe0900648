import type { Micros } from "../../contract/time.ts";
import type { Settings } from "../fingerprint.ts";

export const OPERATIONS = ["live", "backfill", "import", "continue", "clean_start"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Steps of an operation. `begin_epoch` clears the state, `wipe` also all messages. */
export type Step = "begin_epoch" | "wipe" | "backfill" | "import" | "live";

export interface DecisionRequest {
  readonly operation: Operation;
  readonly settings: Settings;
  readonly tEnd: Micros | null;
  /** True for a relative end (now-…), which matches a history with another end. */
  readonly tEndIsRelative: boolean;
  readonly checksum: string | null;
  /** GEN_STATE_RESET: true to clear the instance's state. */
  readonly reset: boolean;
  /** GEN_STATE_ENABLED: if false, every start begins at T0. */
  readonly stateEnabled: boolean;
  readonly confirmed: boolean;
  readonly enabled: boolean;
}
