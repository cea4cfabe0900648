import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { commandOn } from "../database/command.ts";
import type { Source } from "./source.ts";

/** -1 without any. */
export type StoredOffsets = (stream: StreamName, epoch: number, partition: number) => number;

export interface Undelivered {
  readonly epoch: number;
  readonly stream: StreamName;
  /** The empty day holds those without one. */
  readonly days: ReadonlyMap<string, number>;
  readonly oldestSeconds: number;
  readonly step: string;
  readonly hint: string;
}

/** Offset after the last message that counts; all count if there is none. */
export type Ends = ReadonlyMap<StreamName, ReadonlyMap<number, bigint>>;

export interface Cut {
  /** The cut is exact if both have equal counts. */
  readonly before: readonly Source[];
  readonly after: readonly Source[];
  readonly ends: Ends;
  /** @param stored the content of stg when its rows were counted */
  undelivered(stored: StoredOffsets): Promise<Undelivered[]>;
}

export interface SourceFeed {
  readonly epoch: number;
  /** Then waits a limited time for the readers. */
  cut(): Promise<Cut>;
}

export class EpochChangedError extends UserError {
  constructor() {
    super("The topics were re-created during the reconciliation", "retry");
  }
}

export async function currentEpoch(db: Database): Promise<number> {
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  if (row && row.epoch > 0) return row.epoch;
  throw noDataError(db);
}

export const noDataError = (db: Database): UserError =>
  new UserError("The layers are empty: there is nothing to reconcile", commandOn(db, "data"));
