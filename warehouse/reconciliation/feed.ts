import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { hintToRun } from "../database/command.ts";
import type { Source } from "./source.ts";

/** Returns the highest stored offset of a partition; -1 without messages. */
export type StoredOffsets = (stream: StreamName, epoch: number, partition: number) => number;

export interface UndeliveredMessages {
  readonly epoch: number;
  readonly stream: StreamName;
  /** Messages per day; the empty day counts messages of unknown day. */
  readonly days: ReadonlyMap<string, number>;
  readonly oldestSeconds: number;
  readonly step: string;
  readonly hint: string;
}

/** Offset after the last message that counts; without an entry, all messages count. */
export type CutOffsets = ReadonlyMap<StreamName, ReadonlyMap<number, bigint>>;

export interface Cut {
  /** Sources read before the ends; the cut is exact if `after` has equal counts. */
  readonly before: readonly Source[];
  readonly after: readonly Source[];
  readonly ends: CutOffsets;
  /** Counts messages not in stg. @param stored content of stg when its rows were counted */
  undelivered(stored: StoredOffsets): Promise<UndeliveredMessages[]>;
}

export interface SourceFeed {
  readonly epoch: number;
  /** Reads sources and ends, then waits a limited time for the readers. */
  cut(): Promise<Cut>;
}

export class EpochChangedError extends UserError {
  constructor() {
    super("The topics were re-created during the reconciliation", "retry");
  }
}

/** @param hint names a command that loads data */
export async function currentEpoch(db: Database, hint?: string): Promise<number> {
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  if (row && row.epoch > 0) return row.epoch;
  throw noDataError(db, hint);
}

export const noDataError = (db: Database, hint = hintToRun(db, "data")): UserError =>
  new UserError("No data is loaded: every layer is empty", hint);
