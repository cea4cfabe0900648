import {
  type Admin,
  type CallbackWithPromise,
  Consumer,
  type FetchOptions,
  fetchV13,
  type fetchV17,
  type RecordsBatch,
} from "@platformatic/kafka";
import { BrokerError, TRANSIENT_HINT } from "./errors.ts";

const READ_COMMITTED = 1;
const MAX_WAIT_MS = 500;
const MAX_BYTES = 16 * 1024 * 1024;
const ATTRIBUTE_TRANSACTIONAL = 16;
const ATTRIBUTE_CONTROL = 32;

/** Fetches committed batches of a partition from an offset on. @throws BrokerError without a leader */
export async function fetchPage(
  client: Admin,
  topic: string,
  partition: number,
  fetchOffset: bigint,
): Promise<fetchV13.FetchResponsePartition> {
  const metadata = await client.metadata({ topics: [topic] });
  const { id = "", partitions = [] } = metadata.topics.get(topic) ?? {};
  const leader = metadata.brokers.get(partitions[partition]?.leader ?? -1);
  if (!leader)
    throw new BrokerError(`Partition ${partition} of topic ${topic} has no leader`, TRANSIENT_HINT);
  const request = {
    partition,
    fetchOffset,
    currentLeaderEpoch: -1,
    lastFetchedEpoch: -1,
    partitionMaxBytes: MAX_BYTES,
  };
  const { responses } = await fetchV13.api.async(
    await client.connections.get(leader),
    MAX_WAIT_MS,
    1,
    MAX_BYTES,
    READ_COMMITTED,
    0,
    -1,
    [{ topicId: id, partitions: [request] }],
    [],
    "",
  );
  const page = responses[0]?.partitions[0];
  if (page) return page;
  throw new BrokerError(
    `The broker's response lacks partition ${partition} of topic ${topic}`,
    TRANSIENT_HINT,
  );
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

type Options = FetchOptions<Buffer, Buffer, Buffer, Buffer>;
type Response = fetchV17.FetchResponse;

/** A consumer without aborted messages. The library keeps those whose marker is in a later answer. */
export class CommittedConsumer extends Consumer {
  override fetch(options: Options): Promise<Response>;
  override fetch(options: Options, callback: CallbackWithPromise<Response>): void;
  override fetch(options: Options, callback?: CallbackWithPromise<Response>) {
    if (!callback) return super.fetch(options).then(dropAborted);
    super.fetch(options, (error, response) => callback(error, response && dropAborted(response)));
  }
}

function dropAborted(response: Response): Response {
  for (const page of response.responses.flatMap(({ partitions }) => partitions)) {
    const isCommitted = committedFilter(page);
    // An empty batch still moves the position.
    for (const batch of page.records ?? []) if (!isCommitted(batch)) batch.records = [];
  }
  return response;
}
