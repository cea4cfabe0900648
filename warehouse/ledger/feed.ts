import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { commandOn } from "../database/command.ts";
import type { Source } from "./source.ts";

/** The highest offset that stg holds of a stream, epoch and partition; -1 without any. */
export type StoredOffsets = (stream: StreamName, epoch: number, partition: number) => number;

/** Messages of one epoch and stream that the broker holds and stg does not. */
export interface Undelivered {
  readonly epoch: number;
  readonly stream: StreamName;
  /** By model day of emission; the empty day holds those without one. */
  readonly days: ReadonlyMap<string, number>;
  /** Age of the oldest one, seconds of wall time. */
  readonly oldestSeconds: number;
  readonly step: string;
  readonly hint: string;
}

/** Offset after the last message that counts, by stream and partition; empty where all count. */
export type Ends = ReadonlyMap<StreamName, ReadonlyMap<number, bigint>>;

/** What was sent up to one moment. Messages of the current epoch that came later do not count. */
export interface Cut {
  /** Sources as read before and after the ends: where their counts are equal, the cut is exact. */
  readonly before: readonly Source[];
  readonly after: readonly Source[];
  readonly ends: Ends;
  /**
   * Counts what is in the topics up to the ends and not in stg.
   * @param stored what stg held when its rows were counted
   */
  undelivered(stored: StoredOffsets): Promise<Undelivered[]>;
}

/** Where a ledger learns what was sent. */
export interface SourceFeed {
  /** The epoch of its sources. */
  readonly epoch: number;
  /** Takes a cut, and gives the readers some time to store what lies before it. */
  cut(): Promise<Cut>;
}

/** A new epoch began while the ledger was taken: what was read does not belong together. */
export class EpochChangedError extends UserError {
  constructor() {
    super("The topics were re-created while the ledger was taken", "the same command again");
  }
}

export async function currentEpoch(db: Database): Promise<number> {
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  if (row && row.epoch > 0) return row.epoch;
  throw nothingToAccountFor(db);
}

export const nothingToAccountFor = (db: Database): UserError =>
  new UserError(
    "stg and the layers hold no data yet: there is nothing to account for.",
    commandOn(db, "data"),
  );
