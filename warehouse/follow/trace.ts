import type { StreamName } from "../../contract/streams.ts";

/** Times of a message (sql/follow/messages.sql), UTC with microseconds. Null if unknown or not reached. */
export interface Hops {
  readonly emitted: string | null;
  readonly broker: string;
  readonly ingested: string;
  readonly loaded: string | null;
  readonly integrated: string | null;
  readonly presented: string | null;
}

/** `pending`: the next load types it. `lost`: below the watermark, but in no table. */
type Fate = "typed" | "rejected" | "pending" | "lost";

export interface TracedMessage {
  readonly stream: StreamName;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly epoch: number;
  readonly key: string;
  /** Original payload; null if it has expired from stg. */
  readonly raw: string | null;
  readonly fate: Fate;
  readonly markers: readonly string[];
  readonly hops: Hops;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Trace {
  readonly clickId: string;
  readonly messages: readonly TracedMessage[];
  readonly typed: Readonly<Record<StreamName, readonly Row[]>>;
  readonly events: readonly Row[];
  readonly click: Row | null;
  readonly session: Row | null;
}
