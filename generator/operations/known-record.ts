import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import type { StoredValue } from "../../kafka/publisher.ts";
import { readStored } from "./instance.ts";
import type { InstancePublisher } from "./instance-publisher.ts";
import { type InstanceRecord, parseRecord } from "./record.ts";

const VISIBLE_WITHIN_MS = 10_000;
const RETRY_MS = 20;

/**
 * The instance's record as this process knows it. Whoever takes the instance over holds it against what
 * is stored: where another process wrote meanwhile, everything made from the former is stale.
 */
export class KnownRecord {
  readonly epoch: number;
  #record: InstanceRecord | string | null;

  /** `text`: the record as it is stored; null where there is none in this epoch. */
  constructor(epoch: number, text: string | null) {
    this.epoch = epoch;
    this.#record = text;
  }

  /** The record was committed by this process. */
  replace(record: InstanceRecord): void {
    this.#record = record;
  }

  /** What this process has written last; null where it has written nothing yet. */
  get written(): InstanceRecord | null {
    return typeof this.#record === "string" ? null : this.#record;
  }

  /** Whether this is what instances. */
  is(text: string | null): boolean {
    const record = this.#record;
    return text === (record === null || typeof record === "string" ? record : textOf(record));
  }
}

/** Where a record that was committed is to be seen. */
interface Visible {
  readonly client: Admin;
  readonly instance: string;
  readonly known: KnownRecord;
}

/** A record as the publisher writes it. */
export const textOf = (record: InstanceRecord): string => JSON.stringify(record);

/** What is stored, as far as it belongs to the epoch. */
export const textIn = (epoch: number, stored: StoredValue | null): string | null =>
  stored?.epoch === epoch ? stored.value : null;

/**
 * The instance's record now that nobody else can write it.
 * @throws UserError when it is not the one on which it was decided what to do
 */
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
    `The instance ${instance} was changed by another process after it was decided what to do; nothing was written`,
    "Stop the other process and run it again: it is decided anew",
  );
}

/**
 * A commit is decided before readers see it. Who asks for the next step as soon as this one is over
 * decides on what can be read: were that older than what instances, it would count as changed by
 * another process. Bounded, and no failure: the step has done its work.
 */
export async function untilVisible({ client, instance, known }: Visible): Promise<void> {
  for (const deadline = Date.now() + VISIBLE_WITHIN_MS; Date.now() < deadline; ) {
    const text = await readStored(client, known.epoch, instance).catch(() => undefined);
    // A broker that does not answer cannot be waited for.
    if (text === undefined || known.is(text)) return;
    await sleep(RETRY_MS);
  }
}
