import type { Admin } from "@platformatic/kafka";
import type { StreamCounts } from "../../contract/defects.ts";
import type { Manifest } from "../../contract/manifest.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import {
  COLLECTOR_KEY,
  EVENT_TOPICS,
  HEADERS,
  isLoadKey,
  REPLAY_KEY,
  STATE_TOPIC,
} from "../../contract/topics.ts";
import { requireEpoch, requireTopics } from "../../kafka/epoch.ts";
import { logEnds, offsetRanges, readCommitted, readLatest } from "../../kafka/read.ts";
import { readSourceRecords, readSourceTexts } from "../../kafka/sources.ts";
import { type InstanceRecord, parseRecord } from "./record.ts";

export interface Instance {
  readonly epoch: number;
  /** Text of this instance's record, with which a takeover compares. */
  readonly stored: string | null;
  readonly record: InstanceRecord | null;
  /** True if this instance has written in this epoch, even if its record was not read. */
  readonly isWritten: boolean;
  readonly manifest: Manifest | null;
  readonly others: readonly string[];
  /** Topics with messages of unknown origin; checked only without a record. */
  readonly strays: readonly string[];
  /** Topics with fewer messages than the record counts, as after a re-creation by hand. */
  readonly shortened: readonly string[];
}

export interface InstanceOptions {
  readonly instance: string;
  /** True to skip state and manifest, which may be damaged. */
  readonly ignoreState?: boolean;
}

/** Reads an instance. @throws UserError if topics are missing or the state is unreadable */
export async function readInstance(client: Admin, options: InstanceOptions): Promise<Instance> {
  await requireTopics(client);
  const epoch = await requireEpoch(client);
  const sources = options.ignoreState
    ? await readSourceTexts(client, epoch)
    : await readSourceRecords(client, epoch);
  const stored = await readStored(client, epoch, options.instance);
  const record = stored && !options.ignoreState ? parseRecord(stored) : null;
  const own = sources.get(options.instance);
  const isWritten = stored !== null || own !== undefined;
  const manifest = typeof own === "string" ? null : (own?.manifest ?? null);
  // A history, the hits of a site and repairs go into the same topics.
  const beside = [options.instance, COLLECTOR_KEY, REPLAY_KEY];
  const others = [...sources.keys()].filter((key) => !beside.includes(key));
  return {
    epoch,
    stored,
    record,
    isWritten,
    manifest,
    others,
    strays: isWritten || sources.size > 0 ? [] : await topicsWithMessages(client, epoch),
    shortened: record ? await shortenedTopics(client, record) : [],
  };
}

export const isOfLoadsOnly = ({ isWritten, others }: Instance): boolean =>
  !isWritten && others.length > 0 && others.every(isLoadKey);

export async function readStored(
  client: Admin,
  epoch: number,
  instance: string,
): Promise<string | null> {
  const stored = await readLatest(client, STATE_TOPIC, instance);
  if (!stored?.value || Number(stored.headers.get(HEADERS.epoch)) !== epoch) return null;
  return stored.value.toString();
}

/** Returns topics with messages of the epoch; one without a header counts as current. */
async function topicsWithMessages(client: Admin, epoch: number): Promise<string[]> {
  const found: string[] = [];
  for (const topic of EVENT_TOPICS) if (await hasMessage(client, topic, epoch)) found.push(topic);
  return found;
}

async function hasMessage(client: Admin, topic: string, epoch: number): Promise<boolean> {
  for (const range of await offsetRanges(client, topic)) {
    for await (const { headers } of readCommitted(client, topic, range)) {
      if (Number(headers.get(HEADERS.epoch) ?? epoch) === epoch) return true;
    }
  }
  return false;
}

/** Returns topics shorter than recorded; counts cover the last transaction, which `ends` omit. */
async function shortenedTopics(client: Admin, record: InstanceRecord): Promise<string[]> {
  const counts = countsOf(record);
  const shortened: string[] = [];
  for (const stream of STREAMS) {
    const { topic } = streams[stream];
    const ends = await logEnds(client, topic);
    const isBehind = (record.ends[topic] ?? []).some((end, n) => (ends[n] ?? 0) < end);
    const total = ends.reduce((sum, end) => sum + end, 0);
    if (isBehind || total < (counts?.[stream] ?? 0)) shortened.push(topic);
  }
  return shortened;
}

const countsOf = ({ generator, statement }: InstanceRecord): StreamCounts | undefined =>
  generator?.sent.counts ?? statement?.counts;
