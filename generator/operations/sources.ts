import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import { type Manifest, manifestSchema } from "../../contract/manifest.ts";
import { HEADERS, MANIFEST_TOPIC } from "../../contract/topics.ts";
import { offsetRanges, readCommitted, type StoredRecord } from "../adapters/kafka-read.ts";
import { type SourceRecord, sourceSchema } from "./record.ts";

/** Key of the n-th load of an epoch, counted from 1. */
export const loadKey = (number: number): string => `load-${number}`;

/**
 * Who has written into the event topics in an epoch, by key. The topic holds one small record per
 * source, so all of it is read.
 * @throws UserError when a record is damaged
 */
export async function readSourceRecords(
  client: Admin,
  epoch: number,
): Promise<Map<string, SourceRecord>> {
  const latest = new Map<string, StoredRecord>();
  for (const range of await offsetRanges(client, MANIFEST_TOPIC)) {
    for await (const record of readCommitted(client, MANIFEST_TOPIC, range)) {
      if (record.key !== null) latest.set(record.key, record);
    }
  }
  const current = [...latest].filter(
    ([, { value, headers }]) => value && Number(headers.get(HEADERS.epoch)) === epoch,
  );
  return new Map(current.map(([key, record]) => [key, parseSource(key, record)]));
}

function parseSource(key: string, { value }: StoredRecord): SourceRecord {
  try {
    return sourceSchema.parse(JSON.parse(String(value)));
  } catch (error) {
    const reason = (error as Error).message.split("\n").slice(0, 3).join(" ");
    throw new UserError(
      `The record ${key} in the topic ${MANIFEST_TOPIC} is damaged: ${reason}`,
      "pipeline generator clean-start, or pipeline topics --reset --all, begins anew",
    );
  }
}

/** The manifest, where a source is a finished history. */
export function manifestOf(source: SourceRecord | undefined): Manifest | null {
  return manifestSchema.safeParse(source).data ?? null;
}
