import type { LeaseOptions } from "../warehouse/batch/lease.ts";
import type { DatabaseOption } from "./options.ts";

export interface DataOptions extends DatabaseOption {
  readonly dataset: string;
  readonly limit: number;
  readonly reset: boolean;
  readonly replace?: true;
  readonly yes?: true;
  readonly pauseGenerator: boolean;
  readonly generator?: string;
  readonly bootstrap?: string;
  readonly force?: boolean;
  readonly json?: true;
  readonly lease?: LeaseOptions;
}
