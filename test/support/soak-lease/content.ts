import type { Database } from "../../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../../contract/streams.ts";
import { clearLayers } from "../../../warehouse/batch/clear-layers.ts";
import { withLease } from "../../../warehouse/batch/lease.ts";
import type { ServerDatabase } from "../../../warehouse/database/http.ts";
import { StgPublisher, startEpoch } from "../../../warehouse/loader/stg-publisher.ts";
import { fill, runUndisturbed, withEmpty } from "../kill.ts";
import { generateMessages, type Message, toBatch } from "../messages.ts";

/** Messages that are published together; `isNewEpoch` means after a reset, with repeats. */
interface Portion {
  readonly isNewEpoch: boolean;
  readonly messages: readonly Message[];
}

const PORTIONS = 4;
const REPEATED = 40;
const MINUTES = 8;

/** Content of the server's stg, and the digests of an undisturbed run over it. */
export class Content {
  readonly #db: ServerDatabase;
  readonly #parts: readonly (readonly Message[])[];
  readonly #references = new Map<string, string>();
  #published: Portion[] = [];

  private constructor(db: ServerDatabase, messages: readonly Message[]) {
    this.#db = db;
    // Splits by time, so that sessions continue in the next portion.
    const inTime = messages.toSorted((a, b) => (a.emittedAt ?? 0) - (b.emittedAt ?? 0));
    const size = Math.ceil(inTime.length / PORTIONS);
    this.#parts = Array.from({ length: PORTIONS }, (_, n) =>
      inTime.slice(n * size, (n + 1) * size),
    );
  }

  static async open(db: ServerDatabase, seed: string): Promise<Content> {
    return new Content(db, (await generateMessages(seed, MINUTES)).messages);
  }

  get isComplete(): boolean {
    return this.#published.length === PORTIONS;
  }

  /** Empties the layers and publishes the first portion in a new epoch. */
  async cleanStart(): Promise<void> {
    await clearLayers(this.#db);
    this.#published = [];
    await startEpoch(this.#db, "clean start");
    await this.#publish(false);
  }

  /** Keeps the streams that an interrupted clear has left. @returns false if there are none */
  async keepWhatIsLeft(): Promise<boolean> {
    // Runs under a lease, because the last statement of a killed process may still be running.
    const left = await withLease(this.#db, "what is left", ({ db }) => filledStreams(db));
    this.#published = this.#published.map(({ isNewEpoch, messages }) => ({
      isNewEpoch,
      messages: messages.filter(({ stream }) => left.includes(stream)),
    }));
    return left.length > 0;
  }

  /** Publishes the next portion, after a reset if `isNewEpoch`. */
  async publishMore(isNewEpoch: boolean): Promise<void> {
    if (isNewEpoch) {
      await withLease(this.#db, "topics reset", ({ db }) => startEpoch(db, "topics reset"));
    }
    await this.#publish(isNewEpoch);
  }

  /** Returns the digests of an undisturbed full run on a separate engine. */
  async reference(): Promise<string> {
    const key = JSON.stringify(this.#published.map(keyOf));
    const known = this.#references.get(key);
    if (known) return known;
    const digests = await withEmpty(async (directory) => {
      for (const { messages, ...options } of this.#published) {
        await fill(directory, messages, { inNewEpoch: options.isNewEpoch });
      }
      return (await runUndisturbed(directory, { mode: "full" })).digests;
    });
    this.#references.set(key, JSON.stringify(digests));
    return JSON.stringify(digests);
  }

  async #publish(isNewEpoch: boolean): Promise<void> {
    const part = this.#parts[this.#published.length] ?? [];
    const repeated = isNewEpoch ? (this.#parts[0] ?? []).slice(0, REPEATED) : [];
    const messages = [...repeated, ...part];
    const publisher = await StgPublisher.open(this.#db);
    await publisher.publish(toBatch(messages));
    await publisher.close();
    this.#published.push({ isNewEpoch, messages });
  }
}

/** Returns the key of a portion, which has all messages of a stream or none. */
const keyOf = ({ isNewEpoch, messages }: Portion) => [
  isNewEpoch,
  ...new Set(messages.map(({ stream }) => stream)),
];

async function filledStreams(db: Database): Promise<StreamName[]> {
  const filled: StreamName[] = [];
  for (const stream of STREAMS) {
    const rows = await db.rows(`SELECT 1 FROM stg.raw WHERE _topic = '${stream}_events' LIMIT 1`);
    if (rows.length > 0) filled.push(stream);
  }
  return filled;
}
