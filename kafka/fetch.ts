import { type Admin, fetchV13, type RecordsBatch } from "@platformatic/kafka";
import { BrokerError, TRANSIENT_HINT } from "./errors.ts";

const READ_COMMITTED = 1;
const ATTRIBUTE_TRANSACTIONAL = 16;
const ATTRIBUTE_CONTROL = 32;

/** Leader of partitions, and the id of their topic, which a re-creation changes. */
export interface FetchTarget {
  readonly leader: Parameters<Admin["connections"]["get"]>[0];
  readonly topicId: string;
}

export interface FetchLimits {
  /** Of each partition; of all together at most the broker's `fetch.max.bytes`. */
  readonly maxBytes: number;
  readonly maxWaitMs: number;
}

/** Returns the leader of a partition. @throws BrokerError without a leader */
export async function fetchTarget(
  client: Admin,
  topic: string,
  partition: number,
): Promise<FetchTarget> {
  const metadata = await client.metadata({ topics: [topic] });
  const { id = "", partitions = [] } = metadata.topics.get(topic) ?? {};
  const leader = metadata.brokers.get(partitions[partition]?.leader ?? -1);
  if (leader) return { leader, topicId: id };
  throw new BrokerError(`Partition ${partition} of topic ${topic} has no leader`, TRANSIENT_HINT);
}

/** Fetches from partitions of one leader. @param offsets the next offset by partition */
export async function fetchFrom(
  client: Admin,
  { leader, topicId }: FetchTarget,
  offsets: ReadonlyMap<number, bigint>,
  { maxBytes, maxWaitMs }: FetchLimits,
): Promise<readonly fetchV13.FetchResponsePartition[]> {
  const partitions = [...offsets].map(([partition, fetchOffset]) => ({
    ...{ partition, fetchOffset },
    currentLeaderEpoch: -1,
    lastFetchedEpoch: -1,
    partitionMaxBytes: maxBytes,
  }));
  const response = await fetchV13.api.async(
    await client.connections.get(leader),
    maxWaitMs,
    1,
    // With less, the first partitions of the request would take all of it while they have a backlog.
    maxBytes * partitions.length,
    READ_COMMITTED,
    0,
    -1,
    [{ topicId, partitions }],
    [],
    "",
  );
  return response.responses[0]?.partitions ?? [];
}

/** Returns a filter for committed batches; call the filter in offset order. */
export function committedFilter({ abortedTransactions }: fetchV13.FetchResponsePartition) {
  const upcoming = [...(abortedTransactions ?? [])].sort((a, b) =>
    a.firstOffset < b.firstOffset ? -1 : 1,
  );
  const aborted = new Set<bigint>();
  return (batch: RecordsBatch): boolean => {
    const last = batch.firstOffset + BigInt(batch.lastOffsetDelta);
    while (upcoming[0] && upcoming[0].firstOffset <= last) {
      aborted.add(upcoming[0].producerId);
      upcoming.shift();
    }
    if (batch.attributes & ATTRIBUTE_CONTROL) {
      aborted.delete(batch.producerId);
      return false;
    }
    return !(batch.attributes & ATTRIBUTE_TRANSACTIONAL && aborted.has(batch.producerId));
  };
}
