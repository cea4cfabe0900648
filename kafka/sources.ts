import type { Admin } from "@platformatic/kafka";
import { UserError } from "../contract/errors.ts";
import { type Manifest, manifestSchema } from "../contract/manifest.ts";
import { damageIn, publishedSchema, type SourceRecord } from "../contract/source.ts";
import { HEADERS, MANIFEST_TOPIC } from "../contract/topics.ts";
import { offsetRanges, readCommitted, readLatest, type StoredRecord } from "./read.ts";

/** Reads the latest record of every source; the topic is small. */
export async function readSourceTexts(client: Admin, epoch: number): Promise<Map<string, string>> {
  const latest = new Map<string, StoredRecord>();
  for (const range of await offsetRanges(client, MANIFEST_TOPIC)) {
    for await (const record of readCommitted(client, MANIFEST_TOPIC, range)) {
      if (record.key !== null) latest.set(record.key, record);
    }
  }
  const current = [...latest].filter(
    ([, { value, headers }]) => value && Number(headers.get(HEADERS.epoch)) === epoch,
  );
  return new Map(current.map(([key, { value }]) => [key, String(value)]));
}

/** Reads and parses the records of all sources. @throws UserError if a record is damaged */
export async function readSourceRecords(
  client: Admin,
  epoch: number,
): Promise<Map<string, SourceRecord>> {
  const texts = await readSourceTexts(client, epoch);
  return new Map([...texts].map(([key, text]) => [key, parseSource(key, text)]));
}

function parseSource(key: string, text: string): SourceRecord {
  try {
    return publishedSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new UserError(
      `The record ${key} in the topic ${MANIFEST_TOPIC} is damaged: ${damageIn(error)}`,
      "start over with pipeline generator clean-start --yes --t-end INSTANT, pipeline topics --reset --all, or GEN_STATE_RESET=true for a record of this instance",
    );
  }
}

/** Reads the manifest of an instance. @throws UserError if no history is finished */
export async function readManifest(admin: Admin, instance: string): Promise<Manifest> {
  const stored = await readLatest(admin, MANIFEST_TOPIC, instance);
  const found = manifestSchema.safeParse(JSON.parse(stored?.value?.toString() || "null"));
  if (found.success) return found.data;
  throw new UserError(
    `Instance ${instance} has no manifest, because no history is finished`,
    "run pipeline generator backfill, or pipeline generator import",
  );
}
