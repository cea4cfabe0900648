import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { commandOn } from "../database/command.ts";
import type { Source } from "./source.ts";

/** Returns the highest offset in stg; -1 without any. */
export type StoredOffsets = (stream: StreamName, epoch: number, partition: number) => number;

/** Messages of one epoch and stream that the broker has and stg does not. */
export interface Undelivered {
  readonly epoch: number;
  readonly stream: StreamName;
  /** Counts by model day of emission; the empty day holds those without one. */
  readonly days: ReadonlyMap<string, number>;
  /** Wall-clock age of the oldest one. */
  readonly oldestSeconds: number;
  readonly step: string;
  readonly hint: string;
}

/** Offset after the last message that counts; all count if there is none. */
export type Ends = ReadonlyMap<StreamName, ReadonlyMap<number, bigint>>;

/** The sent messages up to one moment; later ones of the current epoch do not count. */
export interface Cut {
  /** Sources read before and after the ends; the cut is exact if their counts are equal. */
  readonly before: readonly Source[];
  readonly after: readonly Source[];
  readonly ends: Ends;
  /**
   * Counts the messages before the ends that stg does not have.
   * @param stored the content of stg when its rows were counted
   */
  undelivered(stored: StoredOffsets): Promise<Undelivered[]>;
}

export interface SourceFeed {
  readonly epoch: number;
  /** Takes a cut, then waits a limited time for the readers to store everything before it. */
  cut(): Promise<Cut>;
}

/** A new epoch began during the reconciliation, so the readings do not belong together. */
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
