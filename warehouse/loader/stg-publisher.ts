import { UserError } from "../../contract/errors.ts";
import type { Database, MessageBatch, Publisher, StreamBatch } from "../../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { escapeTsv } from "../database/tsv.ts";
import { queueState } from "../ingest/consumption.ts";

const COLUMNS = [
  ...["epoch", "_topic", "_partition", "_offset", "_key", "raw", "emitted_at", "repairs"],
] as const;

/** Size of the buffer, bytes; large inserts need fewer merges. */
const FLUSH_AT = 48 * 1024 * 1024;

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

/** Publisher into one partition per topic of stg; offsets continue from the table. */
export class StgPublisher implements Publisher {
  readonly epoch: number;
  readonly #db: Database;
  readonly #partition: number;
  readonly #next: Record<StreamName, number>;
  /** Bytes at once, because texts that wait cost the garbage collector a fifth of the time. */
  #buffer: Buffer[] = [];
  #size = 0;
  /** The insert that runs while the next messages are made. */
  #insert: Promise<void> = Promise.resolve();

  private constructor(
    db: Database,
    epoch: number,
    partition: number,
    next: Record<StreamName, number>,
  ) {
    this.#db = db;
    this.epoch = epoch;
    this.#partition = partition;
    this.#next = next;
  }

  static async open(db: Database, partition = 0): Promise<StgPublisher> {
    await refuseBrokerFed(db);
    const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
    const epoch = row?.epoch ? row.epoch : await startEpoch(db, "first use");
    return new StgPublisher(db, epoch, partition, await nextOffsets(db, epoch));
  }

  async publish(batch: MessageBatch): Promise<void> {
    for (const stream of STREAMS) this.#add(stream, batch[stream]);
    if (this.#size >= FLUSH_AT) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#insert;
  }

  #add(stream: StreamName, { keys, values, emittedAt, repairs }: StreamBatch): void {
    const start = `${this.epoch}\t${streams[stream].topic}\t${this.#partition}\t`;
    let offset = this.#next[stream];
    let rows = "";
    for (let index = 0; index < values.length; index++) {
      const key = escapeTsv(keys[index] ?? "");
      const value = escapeTsv(values[index] ?? "");
      // From ten digits on, the engine reads a number as microseconds.
      const time = emittedAt[index] ?? "\\N";
      rows += `${start}${offset++}\t${key}\t${value}\t${time}\t${repairs?.[index] ?? ""}\n`;
    }
    const data = Buffer.from(rows);
    this.#buffer.push(data);
    this.#size += data.length;
    this.#next[stream] = offset;
  }

  async #flush(): Promise<void> {
    if (this.#size === 0) return;
    const data = this.#buffer;
    this.#buffer = [];
    this.#size = 0;
    await this.#insert;
    this.#insert = this.#db.insertTsv("stg.raw", COLUMNS, data);
    // The next flush, or close, throws the failure.
    this.#insert.catch(() => undefined);
  }
}

/** Refuses tables fed by Kafka, because offsets would collide. @throws UserError */
export async function refuseBrokerFed(db: Database): Promise<void> {
  if ((await queueState(db)) !== "attached") return;
  throw new UserError(
    `${db.label} reads messages from Kafka (stg.queue), so messages cannot be written directly`,
    "set --bootstrap or KAFKA_BOOTSTRAP_SERVERS to the address of the broker",
  );
}

async function nextOffsets(db: Database, epoch: number): Promise<Record<StreamName, number>> {
  const rows = await db.rows<{ topic: string; next: number }>(
    `SELECT _topic AS topic, max(_offset) + 1 AS next
     FROM stg.raw WHERE epoch = {epoch:UInt64} GROUP BY topic`,
    { epoch },
  );
  const next = { browser: 0, location: 0, device: 0, geo: 0 };
  for (const stream of STREAMS) {
    next[stream] = rows.find(({ topic }) => topic === streams[stream].topic)?.next ?? 0;
  }
  return next;
}
