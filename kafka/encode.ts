import type { MessageBatch, StreamBatch } from "../contract/ports.ts";
import { STREAMS, streams } from "../contract/streams.ts";
import { formatMicros, type Micros } from "../contract/time.ts";
import { HEADERS } from "../contract/topics.ts";
import { Partitioner } from "./partition.ts";
import type { PartitionBatches } from "./produce.ts";
import { encodeHeader, RecordBuilder } from "./records.ts";

/** A message for a topic of one partition, kept there by its key. */
export interface ControlRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
}

const TIMESTAMP_BYTES = 26;
const NO_TIMESTAMP = "0".repeat(TIMESTAMP_BYTES);

/** Turns message batches into record batches per partition, as one epoch's producer sends them. */
export class BatchEncoder {
  readonly #partitions: ReadonlyMap<string, number>;
  readonly #epochHeader: Buffer;
  /** Both headers; the time at the end is overwritten from message to message. */
  readonly #headers: Buffer;
  #headersAt: Micros | null = null;
  #keyless = 0;

  constructor(partitions: ReadonlyMap<string, number>, epoch: number) {
    this.#partitions = partitions;
    this.#epochHeader = encodeHeader(HEADERS.epoch, String(epoch));
    const emittedHeader = encodeHeader(HEADERS.emittedAt, NO_TIMESTAMP);
    this.#headers = Buffer.concat([this.#epochHeader, emittedHeader]);
  }

  async encode(batch: MessageBatch): Promise<PartitionBatches[]> {
    const now = Date.now();
    const partitioner = new Partitioner();
    const parts = STREAMS.map((stream) => {
      const { topic } = streams[stream];
      return { topic, builders: this.#build(topic, batch[stream], now, partitioner) };
    });
    return finish(parts);
  }

  /** Carries the epoch too: a stored state tells which topics it belongs to. */
  async encodeControl(records: readonly ControlRecord[]): Promise<PartitionBatches[]> {
    const now = Date.now();
    const parts = records.map(({ topic, key, value }) => {
      const builder = new RecordBuilder(now);
      builder.add(key, value, this.#epochHeader, 1);
      return { topic, builders: [builder] };
    });
    return finish(parts);
  }

  #build(
    topic: string,
    { keys, values, emittedAt }: StreamBatch,
    now: number,
    partitioner: Partitioner,
  ): RecordBuilder[] {
    const partitions = this.#partitions.get(topic) ?? 1;
    const builders = Array.from({ length: partitions }, () => new RecordBuilder(now));
    for (let index = 0; index < values.length; index += 1) {
      const key = keys[index] ?? null;
      // Messages without a key take turns.
      const partition =
        key === null ? this.#keyless++ % partitions : partitioner.partitionOf(key, partitions);
      const builder = builders[partition];
      const at = emittedAt[index] ?? null;
      const value = values[index] ?? "";
      if (at === null) builder?.add(key, value, this.#epochHeader, 1);
      else builder?.add(key, value, this.#headersOf(at), 2);
    }
    return builders;
  }

  #headersOf(at: Micros): Buffer {
    if (at !== this.#headersAt) {
      this.#headersAt = at;
      this.#headers.write(formatMicros(at), this.#headers.length - TIMESTAMP_BYTES, "latin1");
    }
    return this.#headers;
  }
}

/** One entry per partition, its batches in the order of `all`. */
export function mergeParts(all: readonly PartitionBatches[]): PartitionBatches[] {
  const merged = new Map<string, PartitionBatches>();
  for (const part of all) {
    const key = `${part.topic}/${part.partition}`;
    const batches = [...(merged.get(key)?.batches ?? []), ...part.batches];
    merged.set(key, { ...part, batches });
  }
  return [...merged.values()];
}

async function finish(
  parts: readonly { readonly topic: string; readonly builders: readonly RecordBuilder[] }[],
): Promise<PartitionBatches[]> {
  const all = parts.flatMap(({ topic, builders }) =>
    builders.map(async (builder, partition) => ({
      topic,
      partition,
      batches: await builder.finish(),
    })),
  );
  return (await Promise.all(all)).filter(({ batches }) => batches.length > 0);
}
