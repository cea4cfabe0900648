import { UserError } from "../../contract/errors.ts";
import type { StreamName } from "../../contract/streams.ts";
import type { Source } from "../sources/source.ts";

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
