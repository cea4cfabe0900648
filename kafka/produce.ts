import { type Admin, createAPI, produceV9, Writer } from "@platformatic/kafka";
import { type Producer, type RecordBatch, stamp } from "./records.ts";

export interface PartitionBatches {
  readonly topic: string;
  readonly partition: number;
  readonly batches: readonly RecordBatch[];
}

interface Slice {
  readonly partition: number;
  readonly records: number;
  readonly bytes: Buffer;
}

const ALL_REPLICAS = -1;
const TIMEOUT_MS = 15_000;

/** Produce request with encoded batches; the client's own API encodes records one by one. */
const produce = createAPI<
  [transactionalId: string, topic: string, slices: readonly Slice[]],
  produceV9.ProduceResponse
>(
  produceV9.api.key,
  produceV9.api.version,
  (transactionalId: string, topic: string, slices: readonly Slice[]) =>
    Writer.create()
      .appendString(transactionalId)
      .appendInt16(ALL_REPLICAS)
      .appendInt32(TIMEOUT_MS)
      .appendArray([topic], (writer, name) => {
        writer.appendString(name).appendArray([...slices], (part, { partition, bytes }) => {
          part
            .appendInt32(partition)
            .appendUnsignedVarInt(bytes.length + 1)
            .append(bytes);
        });
      })
      .appendTaggedFields(),
  produceV9.parseResponse,
);

/** Sequence numbers by partition; the broker accepts each number once and in order. */
export class Sequences {
  readonly #next = new Map<string, number>();

  take(topic: string, partition: number, records: number): number {
    const key = `${topic}/${partition}`;
    const sequence = this.#next.get(key) ?? 0;
    this.#next.set(key, (sequence + records) % 2 ** 31);
    return sequence;
  }
}

interface Request {
  readonly topic: string;
  readonly leader: number;
  readonly slices: Slice[];
}

/** Offset after the last known message, by topic and partition. */
export type LogEnds = Readonly<Record<string, readonly number[]>>;

export function laterEnds(a: LogEnds, b: LogEnds): LogEnds {
  const ends: Record<string, readonly number[]> = { ...a };
  for (const [topic, others] of Object.entries(b)) {
    const own = ends[topic] ?? [];
    const partitions = Math.max(own.length, others.length);
    ends[topic] = Array.from({ length: partitions }, (_, n) =>
      Math.max(own[n] ?? 0, others[n] ?? 0),
    );
  }
  return ends;
}

interface ProduceResult {
  readonly failures: Map<string, unknown>;
  readonly ends: LogEnds;
}

/** Sends all batches; those of one partition use one connection, which keeps the order. */
export async function produceAll(
  client: Admin,
  transactionalId: string,
  producer: Producer,
  sequences: Sequences,
  parts: readonly PartitionBatches[],
): Promise<ProduceResult> {
  const metadata = await client.metadata({ topics: [...new Set(parts.map(({ topic }) => topic))] });
  const leaderOf = ({ topic, partition }: PartitionBatches): number =>
    metadata.topics.get(topic)?.partitions[partition]?.leader ?? -1;
  const requests = planRequests(parts, leaderOf);
  const nodes = [...new Set(requests.map(({ leader }) => leader))];
  const connections = await client.connectToBrokers(nodes);
  for (const part of parts) {
    for (const batch of part.batches) {
      stamp(batch, producer, sequences.take(part.topic, part.partition, batch.records));
    }
  }
  const failures = new Map<string, unknown>();
  let ends: LogEnds = {};
  const sent = requests.map(async ({ topic, leader, slices }) => {
    try {
      const connection = connections.get(leader);
      if (!connection) throw new Error(`Topic ${topic} has a partition without a leader`);
      const response = await produce.async(connection, transactionalId, topic, slices);
      ends = laterEnds(ends, { [topic]: endsOf(slices, response) });
    } catch (error) {
      if (!failures.has(topic)) failures.set(topic, error);
    }
  });
  await Promise.all(sent);
  return { failures, ends };
}

function endsOf(slices: readonly Slice[], { responses }: produceV9.ProduceResponse): number[] {
  const ends: number[] = [];
  for (const { index, baseOffset } of responses.flatMap((topic) => topic.partitionResponses)) {
    const records = slices.find(({ partition }) => partition === index)?.records ?? 0;
    ends[index] = Number(baseOffset) + records;
  }
  return Array.from(ends, (end) => end ?? 0);
}

/** Plans requests: request n of a topic and broker has the n-th batch of each partition. */
function planRequests(
  parts: readonly PartitionBatches[],
  leaderOf: (part: PartitionBatches) => number,
): Request[] {
  const requests = new Map<string, Request>();
  for (const part of parts) {
    const leader = leaderOf(part);
    part.batches.forEach(({ bytes, records }, round) => {
      const key = `${round}/${part.topic}/${leader}`;
      const request = requests.get(key) ?? { topic: part.topic, leader, slices: [] };
      request.slices.push({ partition: part.partition, records, bytes });
      requests.set(key, request);
    });
  }
  const round = (key: string): number => Number(key.split("/", 1)[0]);
  return [...requests].sort(([a], [b]) => round(a) - round(b)).map(([, request]) => request);
}
