import type { BrokerConnection } from "../../contract/broker.ts";
import { type Database, emptyBatch } from "../../contract/ports.ts";
import type { SourceRecord } from "../../contract/source.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { COLLECTOR_KEY } from "../../contract/topics.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { startEpoch } from "../loader/stg-publisher.ts";
import { readAllSources, storeSource } from "../sources/stored.ts";

/** What was sent in the current epoch; without a record, nothing. */
export interface Sent {
  readonly epoch: number;
  readonly record: SourceRecord | undefined;
}

/** Where the messages of hits go. */
export interface Outlet {
  sent(): Promise<Sent>;
  /** Sends the rows of the table `message` of a database, and the record that includes them. */
  send(hits: Database, record: SourceRecord): Promise<void>;
  /** Ends it after the last hit. */
  close(): Promise<void>;
}

/** Sends into `stg` of a workspace. Sending a file again gives the same rows, because its numbers are the offsets. */
export class StgOutlet implements Outlet {
  readonly #db: Database;
  #sent: Sent | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Continues the epoch of earlier hits, unless the layers were emptied. */
  async sent(): Promise<Sent> {
    if (this.#sent) return this.#sent;
    for (const [epoch, sources] of await readAllSources(this.#db))
      for (const { name, ...record } of sources)
        if (name === COLLECTOR_KEY) this.#sent = { epoch, record };
    const begin = () => startEpoch(this.#db, "pipeline collect");
    this.#sent ??= { epoch: await begin(), record: undefined };
    return this.#sent;
  }

  async send(hits: Database, record: SourceRecord): Promise<void> {
    const { epoch } = await this.sent();
    await hits.run(INTO_STG, { epoch });
    await storeSource(this.#db, epoch, { name: COLLECTOR_KEY, ...record });
    this.#sent = { epoch, record };
  }

  async close(): Promise<void> {
    const { epoch, record } = await this.sent();
    if (record)
      await storeSource(this.#db, epoch, { name: COLLECTOR_KEY, ...record, isFinal: true });
  }
}

/** One block is stored as a whole or not at all. A load reads the offsets above the last one, so they must ascend. */
const INTO_STG = `INSERT INTO stg.raw (epoch, _topic, _partition, _offset, _key, raw)
  SELECT {epoch:UInt64}, topic, 0, number, key, raw FROM message
  SETTINGS min_insert_block_size_rows = 100000000, min_insert_block_size_bytes = 0`;

/** Short, because the journal keeps the hits and the delivery is repeated. */
const PATIENCE_MS = 15_000;

/** Sends into the topics of a broker: the messages of a file and the record are one transaction. */
export class TopicsOutlet implements Outlet {
  readonly #connection: BrokerConnection;
  #open: { readonly publisher: KafkaPublisher; record: SourceRecord | undefined } | undefined;

  constructor(connection: BrokerConnection) {
    this.#connection = connection;
  }

  async sent(): Promise<Sent> {
    this.#open ??= await this.#connect();
    const { publisher, record } = this.#open;
    return { epoch: publisher.epoch, record };
  }

  async send(hits: Database, record: SourceRecord): Promise<void> {
    if (this.#open === undefined) throw new Error("sent() opens the publisher");
    const batch = emptyBatch();
    const rows = await hits.rows<{ topic: string; key: string; raw: string }>(
      "SELECT topic, key, raw FROM message ORDER BY number",
    );
    for (const { topic, key, raw } of rows) {
      const stream = STREAMS.find((name) => streams[name].topic === topic);
      if (stream === undefined) throw new Error(`${topic} is no topic of a stream`);
      batch[stream].keys.push(key);
      batch[stream].values.push(raw);
      batch[stream].emittedAt.push(null);
    }
    try {
      await this.#open.publisher.publishBatch(batch, { manifest: record });
      this.#open.record = record;
    } catch (error) {
      // Perhaps it is committed, or the topics are re-created: a new publisher reads which record counts.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.publisher.close().catch(() => undefined);
  }

  async #connect() {
    const publisher = await KafkaPublisher.open({
      connection: this.#connection,
      instance: COLLECTOR_KEY,
      patienceMs: PATIENCE_MS,
    });
    try {
      return { publisher, record: await publisher.readRecord() };
    } catch (error) {
      await publisher.close();
      throw error;
    }
  }
}
