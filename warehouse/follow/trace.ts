import type { StreamName } from "../../contract/streams.ts";

/** Times of a message, UTC with microseconds. Null if unknown or not reached. */
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

export interface Commit {
  readonly layer: "ods" | "dds" | "dm";
  readonly load_id: number;
  readonly committed_at: string;
}

/** Returns the commit times of a message's loads; after a full refresh, dm's is of a later load. */
export function commitTimes(
  commits: readonly Commit[],
  loadId: number,
): Pick<Hops, "loaded" | "integrated" | "presented"> {
  if (loadId === 0) return { loaded: null, integrated: null, presented: null };
  const reaching = commits.filter((commit) => commit.load_id >= loadId);
  const earliest = (layer: Commit["layer"], from: string): string | null =>
    reaching
      .filter((commit) => commit.layer === layer && commit.committed_at >= from)
      .map((commit) => commit.committed_at)
      .sort()[0] ?? null;
  const own = reaching.find((commit) => commit.layer === "ods" && commit.load_id === loadId);
  const integrated = earliest("dds", "");
  return {
    loaded: own?.committed_at ?? null,
    integrated,
    presented: integrated === null ? null : earliest("dm", integrated),
  };
}
