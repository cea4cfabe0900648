import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerConnection } from "../../contract/broker.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { CONSUMER_GROUPS } from "../../contract/topics.ts";
import type { Log } from "../../generator/service/log.ts";
import { openBroker } from "../../kafka/client.ts";
import { GroupMember } from "../../kafka/group-member.ts";
import type { ServerDatabase } from "../database/http.ts";
import { Batch, type BatchLimits } from "./batch.ts";
import { currentEpoch } from "./current-epoch.ts";
import type { IngestMetrics } from "./metrics.ts";
import { Progress } from "./progress.ts";
import { PartitionReader } from "./reading.ts";
import { storeRows } from "./store.ts";

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

export interface IngestOptions {
  readonly connection: BrokerConnection;
  readonly db: ServerDatabase;
  readonly limits: BatchLimits;
  readonly metrics: IngestMetrics;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Reads one topic as a member of its consumer group and stores it in `stg`. */
export class StreamIngest {
  readonly progress: Progress;
  readonly #stream: StreamName;
  readonly #options: IngestOptions;
  #pause = FIRST_PAUSE_MS;

  constructor(stream: StreamName, options: IngestOptions) {
    this.#stream = stream;
    this.#options = options;
    this.progress = new Progress(streams[stream].topic, options.metrics, options.log);
  }

  /** Works until the signal; a failed membership is replaced by a new one. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#membership();
      } catch (error) {
        // A batch that a stop interrupts is not committed, so the next process reads it again.
        if (!signal.aborted) this.progress.failed(error as Error);
        await sleep(this.#pause, undefined, { signal }).catch(() => undefined);
        this.#pause = Math.min(this.#pause * 2, MAX_PAUSE_MS);
      }
    }
  }

  async #membership(): Promise<void> {
    const { connection, db } = this.#options;
    const { topic } = streams[this.#stream];
    const client = await openBroker(connection, "pipeline-ingest");
    try {
      const group = CONSUMER_GROUPS[STREAMS.indexOf(this.#stream)] ?? "";
      const member = await GroupMember.join(connection, group, topic);
      const { progress } = this;
      const reader = new PartitionReader({
        ...{ client, topic, currentEpoch: () => currentEpoch(db) },
        onLag: (partition, lag) => progress.lags(partition, lag),
      });
      try {
        await this.#work(member, reader);
      } finally {
        await member.leave();
        progress.release();
      }
    } finally {
      await client.close();
    }
  }

  /** Reads a batch while the previous one is being stored; so the database limits the pace. */
  async #work(member: GroupMember, reader: PartitionReader): Promise<void> {
    const { signal, limits } = this.#options;
    let [joins, batch, storing, isStoring] = [-1, new Batch(), Promise.resolve(), false];
    const flush = async () => {
      await storing;
      isStoring = true;
      storing = this.#store(member, joins, batch).finally(() => {
        isStoring = false;
      });
      // An error is thrown where the result is awaited.
      storing.catch(() => undefined);
      batch = new Batch();
    };
    while (!signal.aborted) {
      member.requireMembership();
      if (joins !== member.joins) {
        await storing;
        [joins, batch] = [member.joins, new Batch()];
        this.progress.release();
        await reader.seek(await member.committed());
        this.#options.log.info("partitions assigned", {
          topic: streams[this.#stream].topic,
          partitions: reader.partitions.join(","),
        });
      }
      await reader.readInto(batch);
      if (batch.isDue(limits)) await flush();
      else if (batch.next.size === 0 && !isStoring) this.progress.idle();
      this.#pause = FIRST_PAUSE_MS;
    }
    await flush();
    await storing;
  }

  async #store(member: GroupMember, joins: number, batch: Batch): Promise<void> {
    const { db, signal } = this.#options;
    const { progress } = this;
    for (const rows of batch.buffers) {
      const begun = performance.now();
      const repeated = await storeRows(db, this.#stream, rows, {
        signal,
        onFailure: (error) => progress.failed(error),
      });
      progress.repeated(repeated);
      progress.stored(rows.rows - repeated, (performance.now() - begun) / 1000);
    }
    try {
      await member.commit(joins, batch.next);
    } catch (error) {
      // The rows are stored, so the next reader only repeats them.
      progress.failed(error as Error);
    }
  }
}
