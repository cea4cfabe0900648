import { compatibilityPartitioner } from "@platformatic/kafka";
import type { MessageBatch, StreamBatch } from "../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../contract/streams.ts";
import { formatMicros, MINUTE, type Micros, SECOND } from "../contract/time.ts";
import { HEADERS } from "../contract/topics.ts";
import type { PartitionBatches } from "./produce.ts";
import { encodeHeader, type Headers, RecordBuilder } from "./records.ts";

export interface ControlRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
}

/** Timestamp template; seconds and microseconds are overwritten digit by digit. */
const NO_TIMESTAMP = "0000-00-00 00:00:00.000000";
const SECONDS_AT = NO_TIMESTAMP.length - "00.000000".length;

const epochHeader = (epoch: number): Buffer => encodeHeader(HEADERS.epoch, String(epoch));

interface Lane {
  readonly stream: StreamName;
  readonly topic: string;
  readonly builders: readonly RecordBuilder[];
}

export class BatchEncoder {
  readonly #lanes: readonly Lane[];
  readonly #epochOnly: Headers;
  readonly #both: Headers & { readonly bytes: Buffer };
  #minute = Number.NaN;
  #keyless = 0;

  /** Creates an encoder. @param partitions number per event topic, default one */
  constructor(partitions: ReadonlyMap<string, number>, epoch: number) {
    this.#lanes = STREAMS.map((stream) => {
      const { topic } = streams[stream];
      const length = partitions.get(topic) ?? 1;
      return { stream, topic, builders: Array.from({ length }, () => new RecordBuilder()) };
    });
    const header = epochHeader(epoch);
    this.#epochOnly = { bytes: header, count: 1 };
    const emittedAt = encodeHeader(HEADERS.emittedAt, NO_TIMESTAMP);
    this.#both = { bytes: Buffer.concat([header, emittedAt]), count: 2 };
  }

  add(batch: MessageBatch): void {
    const now = Date.now();
    // Of one batch, because the messages of a session share a key.
    const hashes = new Map<string, number>();
    for (const { stream, builders } of this.#lanes) {
      this.#addStream(builders, batch[stream], now, hashes);
    }
  }

  take(): PartitionBatches[] {
    return this.#lanes.flatMap(({ topic, builders }) => takeAll(topic, builders));
  }

  #addStream(
    builders: readonly RecordBuilder[],
    { keys, values, emittedAt, repairs }: StreamBatch,
    now: number,
    hashes: Map<string, number>,
  ): void {
    const partitions = builders.length;
    for (let index = 0; index < values.length; index += 1) {
      const key = keys[index] ?? null;
      const place = key === null ? this.#keyless++ : hashOf(key, hashes);
      const plain = this.#headersOf(emittedAt[index] ?? null);
      const repaired = repairs?.[index];
      const headers = repaired === undefined ? plain : withRepairs(plain, repaired);
      builders[place % partitions]?.add(key, values[index] ?? "", headers, now);
    }
  }

  #headersOf(at: Micros | null): Headers {
    if (at === null) return this.#epochOnly;
    const { bytes } = this.#both;
    const start = bytes.length - NO_TIMESTAMP.length;
    const minute = Math.floor(at / MINUTE);
    if (minute !== this.#minute) {
      bytes.write(formatMicros(at), start, "latin1");
      this.#minute = minute;
    } else writeSeconds(bytes, start + SECONDS_AT, at - minute * MINUTE);
    return this.#both;
  }
}

const withRepairs = ({ bytes, count }: Headers, repairs: string): Headers => ({
  bytes: Buffer.concat([bytes, encodeHeader(HEADERS.repairs, repairs)]),
  count: count + 1,
});

/** Returns the hash of Java's default partitioner. @param known hashes of earlier keys */
function hashOf(key: string, known: Map<string, number>): number {
  const found = known.get(key);
  if (found !== undefined) return found;
  const hash = compatibilityPartitioner({ topic: "" }, Buffer.from(key));
  known.set(key, hash);
  return hash;
}

/** Encodes control records with the epoch header, which links a state to the event topics. */
export function encodeControl(
  epoch: number,
  records: readonly ControlRecord[],
): PartitionBatches[] {
  const now = Date.now();
  const headers = { bytes: epochHeader(epoch), count: 1 };
  return [...Map.groupBy(records, ({ topic }) => topic)].flatMap(([topic, ofTopic]) => {
    const builder = new RecordBuilder();
    for (const { key, value } of ofTopic) builder.add(key, value, headers, now);
    return takeAll(topic, [builder]);
  });
}

const takeAll = (topic: string, builders: readonly RecordBuilder[]): PartitionBatches[] =>
  builders
    .map((builder, partition) => ({ topic, partition, batches: builder.take() }))
    .filter(({ batches }) => batches.length > 0);

function writeSeconds(bytes: Buffer, at: number, micros: Micros): void {
  const second = Math.floor(micros / SECOND);
  writeDigits(bytes, at, 2, second);
  writeDigits(bytes, at + 3, 6, micros - second * SECOND);
}

function writeDigits(bytes: Buffer, at: number, width: number, value: number): void {
  let rest = value;
  for (let index = at + width - 1; index >= at; index -= 1) {
    const tenth = Math.floor(rest / 10);
    bytes[index] = 48 + rest - tenth * 10;
    rest = tenth;
  }
}
