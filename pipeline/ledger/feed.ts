import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { readSources, type Source } from "./source.ts";

/** The highest offset that stg holds of each partition of a stream. */
export type StoredOffsets = ReadonlyMap<number, number>;

/** Messages of one stream that the broker holds and stg does not. */
export interface Undelivered {
  readonly stream: StreamName;
  /** By model day of emission; the empty day holds those without one. */
  readonly days: ReadonlyMap<string, number>;
  /** Age of the oldest one, seconds of wall time. */
  readonly oldestSeconds: number;
  readonly step: string;
  readonly next: string;
}

/** What had been committed, and what the readers had stored of it, at one moment. */
export interface Delivery {
  /**
   * Counts what is in the topics up to that moment and not in stg.
   * @param stored what stg held when its rows were counted, after that moment
   */
  undelivered(stored: ReadonlyMap<StreamName, StoredOffsets>): Promise<Undelivered[]>;
}

/** Where a ledger learns what was sent. */
export interface SourceFeed {
  read(): Promise<Source[]>;
  /** Gives the readers some time to store everything sent by now. */
  delivery(): Promise<Delivery>;
}

/** What the database itself keeps: statements of sources that have ended. */
export const storedFeed = (db: Database, epoch: number): SourceFeed => ({
  read: () => readSources(db, epoch),
  delivery: async () => ({ undelivered: async () => [] }),
});

export async function currentEpoch(db: Database): Promise<number> {
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  if (row && row.epoch > 0) return row.epoch;
  throw nothingToAccountFor();
}

export const nothingToAccountFor = (): UserError =>
  new UserError(
    "stg and the layers hold no data yet: there is nothing to account for.",
    "make data",
  );
