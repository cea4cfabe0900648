import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { seededRng, uniform } from "../../generator/model/random.ts";
import { openBroker } from "../../kafka/client.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import type { TestBroker } from "./broker.ts";
import { BrokerCluster } from "./broker-cluster.ts";
import { connectionTo } from "./connection.ts";
import { type Consumer, openWholeConsumer } from "./consumer.ts";
import { GeneratorProcess } from "./generator.ts";
import { waitFor } from "./harness.ts";
import { type Fault, type FaultCounts, type Mode, shuffledFaults } from "./soak-faults.ts";
import { canReadAll, hasManifest, stored, written } from "./soak-progress.ts";
import { type Verdict, verdictOn } from "./soak-verdict.ts";

export interface SoakOptions extends FaultCounts {
  readonly seed: string;
  /** Model days of the backfill, long enough for half of the faults. */
  readonly days: number;
  /** Number of brokers; default 1. Of three, one at a time is down. */
  readonly brokers?: 1 | 3;
  readonly log?: (line: string) => void;
}

export interface SoakResult extends Verdict {
  readonly happened: Readonly<Record<Fault, number>>;
  /** Broker faults during which the generator published and the engine stored, or the backfill ended. */
  readonly survivedFaults: number;
  readonly seconds: number;
}

const T0 = Date.parse("2026-01-01T00:00:00Z");
const DAY_MS = 86_400_000;
/** Time limit for a killed generator or engine to work again. */
const PROGRESS_WITHIN_MS = 60_000;
/** A batch of a backfill is a model hour. */
const BATCHES_PER_DAY = 24;
/** Approximate duration of one backfill transaction. */
const TRANSACTION_MS = 250;

/**
 * Kills real processes at random moments, then checks that nothing is missing or duplicated; of
 * three brokers, one is down during the check.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const start = performance.now();
  const instance = await Instance.open(options);
  try {
    await instance.phase("backfill");
    await instance.phase("live");
    return {
      ...(await instance.verdict()),
      seconds: Math.round((performance.now() - start) / 1000),
    };
  } finally {
    await instance.close();
  }
}

class Instance {
  readonly #options: SoakOptions;
  readonly #cluster: BrokerCluster;
  readonly #admin: Admin;
  readonly #directory = mkdtempSync(join(tmpdir(), "soak-"));
  readonly #random: () => number;
  readonly #happened: Record<Fault, number> = {
    "kill in backfill": 0,
    "kill live": 0,
    "broker restart": 0,
    "broker stop": 0,
    "engine restart": 0,
  };
  #survivedFaults = 0;
  #brokerFaults = 0;
  #engine: Promise<Consumer> | undefined;
  #generator: GeneratorProcess | undefined;

  private constructor(options: SoakOptions, cluster: BrokerCluster, admin: Admin) {
    this.#options = options;
    this.#cluster = cluster;
    this.#admin = admin;
    const rng = seededRng(options.seed, "soak");
    this.#random = () => uniform(rng);
  }

  static async open(options: SoakOptions): Promise<Instance> {
    const cluster = await BrokerCluster.start(options.brokers ?? 1);
    const admin = await openBroker(connectionTo(cluster.bootstrap), "soak");
    await ensureTopics(admin, { database: null });
    const instance = new Instance(options, cluster, admin);
    // The start-up time does not count, because nothing is killed then.
    await instance.#startEngine();
    return instance;
  }

  /** Settings of all runs; the tick of ten model minutes must be the same in all. */
  get #env(): Record<string, string> {
    return {
      GEN_SEED: this.#options.seed,
      GEN_DATA_DIR: "/nonexistent",
      GEN_MODEL_T_END: new Date(T0 + this.#options.days * DAY_MS).toISOString(),
      GEN_MODEL_TIME_SPEED: "3000",
      GEN_TICK_SECONDS: "0.2",
      GEN_MAX_EVENTS_PER_TICK: "10000",
      GEN_MAX_BACKFILL_EVENTS: "1000000000",
    };
  }

  /**
   * Runs half of the faults in random order at random moments, and always restarts the
   * generator.
   */
  async phase(mode: Mode): Promise<void> {
    const faults = shuffledFaults(this.#options, mode, this.#random);
    for (const [index, fault] of faults.entries()) {
      const target = fault === "engine restart" ? stored : written;
      const before = await this.#answer(target);
      this.#ensureGenerator(mode);
      const isAtWork = await this.#waitForProgress(target, before);
      if (mode === "live") await sleep(this.#random() * 2_400);
      else await this.#waitForMoment(faults.length - index);
      // Every kill happens, but counts only if the process was working and not finished.
      const isOver = mode === "backfill" && (await this.#answer(hasManifest));
      if ((await this.#inject(fault)) && isAtWork && !isOver) this.#happened[fault] += 1;
    }
    this.#ensureGenerator(mode);
    if (mode === "backfill") await this.#waitForBackfill();
    else {
      await sleep(5_000);
      await this.#generator?.stop();
    }
  }

  /** A random moment of the backfill that leaves time for the remaining faults. */
  async #waitForMoment(left: number): Promise<void> {
    const batches = async () => Number(await written(this.#admin).catch(() => 0n));
    const now = await batches();
    const share = (this.#options.days * BATCHES_PER_DAY - now) / (left + 1);
    const moment = now + this.#random() * share;
    for (const deadline = Date.now() + PROGRESS_WITHIN_MS; Date.now() < deadline; await sleep(10)) {
      if ((await batches()) >= moment || this.#generator?.isRunning === false) break;
    }
    // Batches become visible with their transaction, so the kill hits the next one.
    await sleep(this.#random() * TRANSACTION_MS);
  }

  /** A restarted broker may not serve all topics at once. */
  async #answer<T>(ask: (admin: Admin) => Promise<T>): Promise<T> {
    for (const deadline = Date.now() + PROGRESS_WITHIN_MS; ; await sleep(100)) {
      try {
        return await ask(this.#admin);
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  }

  /** True while the process makes progress; false if the generator has ended or nothing arrives. */
  async #waitForProgress(target: typeof written, before: bigint): Promise<boolean> {
    for (const deadline = Date.now() + PROGRESS_WITHIN_MS; Date.now() < deadline; await sleep(50)) {
      if ((await target(this.#admin).catch(() => before)) !== before) return true;
      if (this.#generator?.isRunning === false) return false;
    }
    return false;
  }

  #ensureGenerator(mode: Mode): void {
    if (this.#generator?.isRunning) return;
    this.#generator = new GeneratorProcess(this.#cluster.bootstrap, {
      ...this.#env,
      GEN_RUN_MODE: mode,
    });
  }

  /** Returns false if there was nothing left to kill. */
  async #inject(fault: Fault): Promise<boolean> {
    this.#options.log?.(fault);
    if (fault === "broker restart" || fault === "broker stop") {
      await this.#restartBroker(fault);
      return true;
    }
    if (fault === "engine restart") {
      await (await this.#engine)?.kill9();
      this.#startEngine();
      return true;
    }
    const wasRunning = this.#generator?.isRunning === true;
    await this.#generator?.kill9();
    return wasRunning;
  }

  /** Takes the brokers in turn; without a broker the others go on. */
  async #restartBroker(fault: "broker restart" | "broker stop"): Promise<void> {
    const { nodes } = this.#cluster;
    const node = nodes[this.#brokerFaults++ % nodes.length] as TestBroker;
    await (fault === "broker stop" ? node.shutDown() : node.kill9());
    if (nodes.length > 1 && (await this.#continues())) this.#survivedFaults += 1;
    await sleep(this.#random() * 2_000);
    await node.restart();
    // A write needs two replicas in sync, so the next fault must not meet the second one.
    await this.#cluster.inSync(this.#admin);
  }

  async #continues(): Promise<boolean> {
    const [isWritten, isStored] = await Promise.all(
      [written, stored].map(async (target) =>
        this.#waitForProgress(target, await this.#answer(target)),
      ),
    );
    return (isWritten && isStored) || this.#generator?.exitCode === 0;
  }

  #startEngine(): Promise<Consumer> {
    this.#engine = openWholeConsumer(this.#directory, connectionTo(this.#cluster.bootstrap));
    return this.#engine;
  }

  async #waitForBackfill(): Promise<void> {
    while ((await this.#generator?.exit()) !== 0) {
      this.#options.log?.(`backfill starts again: ${this.#generator?.output.split("\n").at(-2)}`);
      this.#ensureGenerator("backfill");
    }
  }

  async verdict(): Promise<Omit<SoakResult, "seconds">> {
    await (await this.#engine)?.kill9();
    const db = await this.#startEngine();
    const [first, ...others] = this.#cluster.nodes;
    try {
      if (others.length > 0) await first?.kill9();
      await waitFor("the other brokers answer", () => canReadAll(this.#admin), 240_000);
      const verdict = await verdictOn(db, this.#admin, this.#env);
      return { happened: this.#happened, survivedFaults: this.#survivedFaults, ...verdict };
    } finally {
      await db.close();
      this.#engine = undefined;
    }
  }

  async close(): Promise<void> {
    await this.#generator?.kill9();
    await (await this.#engine)?.kill9();
    await this.#admin.close();
    await this.#cluster.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
