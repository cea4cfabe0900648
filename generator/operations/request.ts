import type { Micros } from "../../contract/time.ts";
import type { Settings } from "../fingerprint.ts";

export const OPERATIONS = ["live", "backfill", "import", "continue", "clean_start"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What an operation consists of, in order. `begin_epoch` forgets the state, `wipe` all messages. */
export type Step = "begin_epoch" | "wipe" | "backfill" | "import" | "live";

/** What is asked for, and the circumstances that decide about it. */
export interface DecisionRequest {
  readonly operation: Operation;
  /** What shapes the bytes now. */
  readonly settings: Settings;
  /** End of the history to write; null where none is set. */
  readonly tEnd: Micros | null;
  /** The end was given as now-…: a history begun with another reading of it is the same. */
  readonly tEndIsRelative: boolean;
  /** Checksum of the data set's manifest, for an import. */
  readonly checksum: string | null;
  /** GEN_STATE_RESET: the instance's own state is to be forgotten. */
  readonly reset: boolean;
  /** GEN_STATE_ENABLED: without it every start is a first one. */
  readonly stateEnabled: boolean;
  /** The loss of what a clean start removes is confirmed. */
  readonly confirmed: boolean;
  /** Whether the generator may go live at all (GEN_ENABLED). */
  readonly enabled: boolean;
}
