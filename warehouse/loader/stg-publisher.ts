import { UserError } from "../../contract/errors.ts";
import type { Database, MessageBatch, Publisher, StreamBatch } from "../../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import type { Micros } from "../../contract/time.ts";

const COLUMNS = ["epoch", "_topic", "_partition", "_offset", "_key", "raw", "emitted_at"] as const;

/** Size of the buffer per stream, bytes; large inserts need fewer merges. */
const FLUSH_AT = 24 * 1024 * 1024;

/** Starts a new epoch, like re-creating the topics of a broker. */
export async function startEpoch(db: Database, reason: string): Promise<number> {
  await db.run(
    `INSERT INTO stg.epoch (epoch, reason)
     SELECT greatest(toUInt64(toUnixTimestamp64Milli(now64(3))), max(epoch) + 1), {reason:String}
     FROM stg.epoch`,
    { reason },
  );
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  return row?.epoch ?? 0;
}

/** Publisher into stg with one partition per topic; offsets continue from the table. */
export class StgPublisher implements Publisher {
  readonly #db: Database;
  readonly #epoch: number;
  readonly #next: Record<StreamName, number>;
  readonly #buffers: Record<StreamName, string[]>;
  readonly #sizes: Record<StreamName, number> = { browser: 0, location: 0, device: 0, geo: 0 };
  /** The insert that runs while the next messages are made. */
  #insert: Promise<void> = Promise.resolve();

  private constructor(db: Database, epoch: number, next: Record<StreamName, number>) {
    this.#db = db;
    this.#epoch = epoch;
    this.#next = next;
    this.#buffers = { browser: [], location: [], device: [], geo: [] };
  }

  static async open(db: Database): Promise<StgPublisher> {
    await refuseBrokerFed(db);
    const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
    const epoch = row?.epoch ? row.epoch : await startEpoch(db, "first use");
    const next = { browser: 0, location: 0, device: 0, geo: 0 };
    for (const stream of STREAMS) next[stream] = await nextOffset(db, stream, epoch);
    return new StgPublisher(db, epoch, next);
  }

  async publish(batch: MessageBatch): Promise<void> {
    for (const stream of STREAMS) {
      this.#add(stream, batch[stream]);
      if (this.#sizes[stream] >= FLUSH_AT) await this.#flush(stream);
    }
  }

  async close(): Promise<void> {
    for (const stream of STREAMS) await this.#flush(stream);
    await this.#insert;
  }

  #add(stream: StreamName, { keys, values, emittedAt }: StreamBatch): void {
    const start = `${this.#epoch}\t${streams[stream].topic}\t0\t`;
    const buffer = this.#buffers[stream];
    let offset = this.#next[stream];
    let size = 0;
    for (let index = 0; index < values.length; index++) {
      const key = escapeTsv(keys[index] ?? "");
      const value = escapeTsv(values[index] ?? "");
      const row = `${start}${offset++}\t${key}\t${value}\t${unixTime(emittedAt[index] ?? null)}\n`;
      buffer.push(row);
      size += row.length;
    }
    this.#next[stream] = offset;
    this.#sizes[stream] += size;
  }

  async #flush(stream: StreamName): Promise<void> {
    if (this.#sizes[stream] === 0) return;
    const data = Buffer.from(this.#buffers[stream].join(""));
    this.#buffers[stream] = [];
    this.#sizes[stream] = 0;
    await this.#insert;
    this.#insert = this.#db.insertTsv(`stg.${stream}_raw`, COLUMNS, once(data));
    // The next flush, or close, throws the failure.
    this.#insert.catch(() => undefined);
  }
}

/** Refuses tables fed by Kafka, because offsets would collide. @throws UserError */
export async function refuseBrokerFed(db: Database): Promise<void> {
  const [queue] = await db.rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'stg' AND engine IN ('Kafka', 'Null') LIMIT 1",
  );
  if (!queue) return;
  throw new UserError(
    `${db.label} reads messages from Kafka (stg.${queue.name}), so messages cannot be written directly`,
    "set --bootstrap or KAFKA_BOOTSTRAP_SERVERS to the address of the broker",
  );
}

async function nextOffset(db: Database, stream: StreamName, epoch: number): Promise<number> {
  const [row] = await db.rows<{ next: number }>(
    `SELECT if(count() = 0, 0, max(_offset) + 1) AS next
     FROM stg.${stream}_raw WHERE epoch = {epoch:UInt64}`,
    { epoch },
  );
  return row?.next ?? 0;
}

const ESCAPES: Record<string, string> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\0": "\\0",
};

/** Escapes a text. Three searches are faster than a regular expression for most messages. */
function escapeTsv(text: string): string {
  if (!text.includes("\\") && !text.includes("\t") && !text.includes("\n")) return text;
  return text.replace(/[\\\t\n\r\0]/g, (char) => ESCAPES[char] ?? char);
}

const MICROS_DIGITS = 6;

/** Returns Unix seconds with six decimals. */
function unixTime(at: Micros | null): string {
  if (at === null) return "\\N";
  const digits = String(at);
  return `${digits.slice(0, -MICROS_DIGITS)}.${digits.slice(-MICROS_DIGITS)}`;
}

async function* once(data: Buffer): AsyncIterable<Buffer> {
  yield data;
}
