import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import type { KafkaPublisher, StoredValue } from "../../kafka/publisher.ts";
import { readStored } from "./instance.ts";
import { type InstanceRecord, parseRecord } from "./record.ts";

export type InstancePublisher = Pick<
  KafkaPublisher,
  "epoch" | "ends" | "publishBatch" | "hasRoom" | "readLatest" | "close"
>;

const VISIBLE_WITHIN_MS = 10_000;
const RETRY_MS = 20;

/** Record last written by this process. Another stored record proves a second writer. */
export class KnownRecord {
  readonly epoch: number;
  #record: InstanceRecord | string | null;

  constructor(epoch: number, text: string | null) {
    this.epoch = epoch;
    this.#record = text;
  }

  replace(record: InstanceRecord): void {
    this.#record = record;
  }

  get written(): InstanceRecord | null {
    return typeof this.#record === "string" ? null : this.#record;
  }

  is(text: string | null): boolean {
    const record = this.#record;
    return text === (record === null || typeof record === "string" ? record : textOf(record));
  }
}

interface Visible {
  readonly client: Admin;
  readonly instance: string;
  readonly known: KnownRecord;
}

export const textOf = (record: InstanceRecord): string => JSON.stringify(record);

export const textIn = (epoch: number, stored: StoredValue | null): string | null =>
  stored?.epoch === epoch ? stored.value : null;

/** Compares the stored record with the one the decision used. @throws UserError if they differ */
export async function requireUnchanged(
  publisher: InstancePublisher,
  known: KnownRecord,
  instance: string,
): Promise<InstanceRecord | null> {
  const text = textIn(known.epoch, await publisher.readLatest(STATE_TOPIC));
  if (publisher.epoch === known.epoch && known.is(text)) {
    return text === null ? null : parseRecord(text);
  }
  throw new UserError(
    `Instance ${instance} was changed by another process; nothing was written`,
    "stop the other process, then retry",
  );
}

/** Waits until the record is readable, for the next step; returns also after the time limit. */
export async function waitForRecord({ client, instance, known }: Visible): Promise<void> {
  for (const deadline = Date.now() + VISIBLE_WITHIN_MS; Date.now() < deadline; ) {
    const text = await readStored(client, known.epoch, instance).catch(() => undefined);
    if (text === undefined || known.is(text)) return;
    await sleep(RETRY_MS);
  }
}
