import type { KafkaRecord } from "@platformatic/kafka";
import { HEADERS } from "../../contract/topics.ts";

export type StoredEpoch = bigint;

const MAX_EPOCH = 2n ** 64n - 1n;

export function headerOf({ headers }: KafkaRecord, wanted: string): Buffer | undefined {
  for (const [name, value] of headers) if (name?.toString() === wanted) return value ?? undefined;
  return undefined;
}

/** Returns the epoch of the header; undefined without one, or for another text than a number. */
export function epochOf(record: KafkaRecord): StoredEpoch | undefined {
  const text = headerOf(record, HEADERS.epoch)?.toString() ?? "";
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const epoch = BigInt(text);
  return epoch > MAX_EPOCH ? undefined : epoch;
}
