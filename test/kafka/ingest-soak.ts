import { setTimeout as sleep } from "node:timers/promises";
import { STREAMS } from "../../contract/streams.ts";
import { below, between, pick, type Rng, seededRng } from "../../generator/model/random.ts";
import type { IngestProcess, IngestSystem } from "./ingest-system.ts";
import { numbered } from "./messages.ts";

const MAX_PROCESSES = 3;
const MESSAGES = 200;
/** Time of the group until a frozen process has lost its partitions, ms. */
const SESSION_MS = 10_000;

export interface IngestSoakResult {
  readonly kills: number;
  readonly stops: number;
  /** Processes that were frozen until the group gave their partitions away, then continued. */
  readonly freezes: number;
  readonly starts: number;
  /** Messages per stream. */
  readonly messages: number;
  readonly lost: number;
  readonly doubled: number;
  /** Rows that appeared below the highest offset of their partition, which a load would skip. */
  readonly late: number;
}

interface SoakOptions {
  readonly seed: string;
  readonly kills: number;
  readonly log?: (line: string) => void;
}

/** Starts, stops, freezes and kills consumers at random while messages arrive; then counts rows. */
export async function soakIngest(
  system: IngestSystem,
  { seed, kills, log = () => {} }: SoakOptions,
): Promise<IngestSoakResult> {
  const faults = new Faults(system, seededRng(seed, "ingest"), log);
  const publisher = await system.publisher();
  const views: Stored[] = [];
  let [sent, isOver] = [0, false];
  const publishing = (async () => {
    for (; !isOver; sent += MESSAGES) {
      await publisher.publishBatch(numbered(sent, MESSAGES));
      await sleep(50);
    }
  })();
  try {
    while (faults.counts.kills < kills) {
      await faults.next();
      views.push(...(await storedRows(system)));
    }
  } finally {
    isOver = true;
    await publishing;
    await publisher.close();
  }
  await faults.finish();
  await system.settle();
  const late = await lateRows(system, views);
  return { ...faults.counts, messages: sent, late, ...(await differences(system, sent)) };
}

class Faults {
  readonly counts = { kills: 0, stops: 0, freezes: 0, starts: 0 };
  readonly #system: IngestSystem;
  readonly #rng: Rng;
  readonly #log: (line: string) => void;
  #processes: IngestProcess[] = [];
  readonly #frozen: Promise<void>[] = [];

  constructor(system: IngestSystem, rng: Rng, log: (line: string) => void) {
    this.#system = system;
    this.#rng = rng;
    this.#log = log;
  }

  async next(): Promise<void> {
    if (this.#processes.length === 0 || (this.#isFew() && below(this.#rng, 2) === 0)) {
      return this.#start();
    }
    await sleep(between(this.#rng, 100, 2_500));
    const process = pick(this.#rng, this.#processes);
    const dice = below(this.#rng, 10);
    this.#processes = this.#processes.filter((other) => other !== process);
    if (dice < 6) await this.#kill(process);
    else if (dice < 8) await this.#stop(process);
    else this.#freeze(process);
  }

  /** Waits for the frozen processes, and leaves one running. */
  async finish(): Promise<void> {
    await Promise.all(this.#frozen);
    if (this.#processes.length === 0) await this.#start();
  }

  #isFew(): boolean {
    return this.#processes.length < MAX_PROCESSES;
  }

  async #start(): Promise<void> {
    this.counts.starts += 1;
    const process = this.#system.start({ INGEST_BATCH_MS: "100" });
    this.#processes.push(process);
    await process.port();
  }

  async #kill(process: IngestProcess): Promise<void> {
    this.counts.kills += 1;
    await process.kill9();
    this.#log(`kill ${this.counts.kills}`);
  }

  async #stop(process: IngestProcess): Promise<void> {
    this.counts.stops += 1;
    const code = await process.stop();
    if (code !== 0) throw new Error(`A stopped process ended with ${code}: ${process.output}`);
  }

  /** Freezes a process until another one reads its partitions; then continues and stops it. */
  #freeze(process: IngestProcess): void {
    this.counts.freezes += 1;
    process.signal("SIGSTOP");
    const milliseconds = SESSION_MS + between(this.#rng, -4_000, 4_000);
    const thaw = async () => {
      await sleep(milliseconds);
      process.signal("SIGCONT");
      await sleep(1_000);
      await process.stop();
    };
    this.#frozen.push(thaw());
  }
}

async function differences(system: IngestSystem, sent: number) {
  let [lost, doubled] = [0, 0];
  for (const stream of STREAMS) {
    const [row] = await system.db.rows<{ rows: number; distinct: number }>(
      `SELECT count() AS rows, uniqExact(JSONExtractUInt(raw, 'n')) AS distinct FROM stg.raw FINAL WHERE _topic = '${stream}_events'`,
    );
    lost += sent - (row?.distinct ?? 0);
    doubled += (row?.rows ?? 0) - (row?.distinct ?? 0);
  }
  return { lost, doubled };
}

interface Stored {
  readonly epoch: number;
  readonly partition: number;
  readonly last: number;
  readonly rows: number;
}

const storedRows = ({ db }: IngestSystem): Promise<Stored[]> =>
  db.rows<Stored>(
    `SELECT epoch, _partition AS partition, max(_offset) AS last, uniqExact(_offset) AS rows
     FROM stg.raw WHERE _topic = 'geo_events' GROUP BY epoch, partition`,
  );

/** Counts rows that a view lacked although it had a later one of the partition. */
async function lateRows({ db }: IngestSystem, views: readonly Stored[]): Promise<number> {
  let late = 0;
  for (const { rows, ...view } of views) {
    const [found] = await db.rows<{ rows: number }>(
      `SELECT uniqExact(_offset) AS rows FROM stg.raw
       WHERE _topic = 'geo_events' AND epoch = {epoch:UInt64} AND _partition = {partition:Int32} AND _offset <= {last:Int64}`,
      view,
    );
    late += (found?.rows ?? 0) - rows;
  }
  return late;
}
