import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { BrokerConnection } from "../../contract/broker.ts";
import { emptyBatch } from "../../contract/ports.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import { parseFrame } from "../../generator/operations/record.ts";
import { openBroker } from "../../kafka/client.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { KafkaPublisher, type KafkaPublisherOptions } from "../../kafka/publisher.ts";
import { readLatest } from "../../kafka/read.ts";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { ensureTopics, type ResetOptions, resetTopics } from "../../warehouse/epochs/topics.ts";
import { brokerFeed } from "../../warehouse/reconciliation/broker-feed.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { syncSources } from "../../warehouse/sources/broker.ts";
import type { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import type { Consumer } from "./consumer.ts";
import { GeneratorProcess } from "./generator.ts";
import { waitUntilStored } from "./harness.ts";
import { emptyBroker } from "./shared-broker.ts";

export interface SystemOptions<Db> {
  /** Opens a database that reads the topics. Default: no database. */
  readonly database?: (directory: string, connection: BrokerConnection) => Promise<Db>;
  /** Starts a broker that the tests may stop. Default: the broker of the run. */
  readonly broker?: () => Promise<TestBroker>;
  /** True to leave the creation of the topics to the tests. */
  readonly withoutTopics?: true;
}

/** A broker, its topics, the generators that a test starts, and a database that reads the topics. */
export class KafkaSystem<Db extends ServerDatabase = Consumer> {
  readonly directory = mkdtempSync(join(tmpdir(), "test-kafka-"));
  readonly #options: SystemOptions<Db>;
  #bootstrap: string | undefined;
  #broker: TestBroker | undefined;
  #admin: Admin | undefined;
  #db: Db | undefined;
  #generators: GeneratorProcess[] = [];

  constructor(options: SystemOptions<Db> = {}) {
    this.#options = options;
  }

  async open(): Promise<void> {
    this.#broker = await this.#options.broker?.();
    this.#bootstrap = this.#broker?.bootstrap ?? (await emptyBroker());
    this.#admin = await openBroker(this.connection, "test");
    if (!this.#options.withoutTopics) await ensureTopics(this.#admin, { database: null });
    this.#db = await this.#options.database?.(this.directory, this.connection);
    if (this.#db) await ensureTopics(this.#admin, { database: this.#db });
  }

  async close(): Promise<void> {
    await this.#db?.close();
    await this.#admin?.close();
    await this.#broker?.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  get bootstrap(): string {
    return opened(this.#bootstrap);
  }

  get connection(): BrokerConnection {
    return connectionTo(this.bootstrap);
  }

  get broker(): TestBroker {
    return opened(this.#broker);
  }

  get admin(): Admin {
    return opened(this.#admin);
  }

  get db(): Db {
    return opened(this.#db);
  }

  reset(options: Partial<ResetOptions> = {}) {
    return resetTopics(this.admin, { database: this.#db ?? null, ...options });
  }

  async epoch(): Promise<number> {
    return (await readEpoch(this.admin))?.epoch ?? 0;
  }

  publisher(options: Partial<KafkaPublisherOptions> = {}): Promise<KafkaPublisher> {
    return KafkaPublisher.open({ connection: this.connection, instance: "test", ...options });
  }

  /** Publishes one batch as an instance that then ends. */
  async publish(batch = emptyBatch(), records = {}, instance = "test"): Promise<void> {
    const publisher = await this.publisher({ instance });
    await publisher.publishBatch(batch, records);
    await publisher.close();
  }

  /** Starts a generator, which ends with the test. */
  generator(env: Readonly<Record<string, string>> = {}): GeneratorProcess {
    const generator = new GeneratorProcess(this.bootstrap, env);
    this.#generators.push(generator);
    return generator;
  }

  async endGenerators(): Promise<void> {
    for (const generator of this.#generators.splice(0)) await generator.kill9();
  }

  /** Latest state of the instance `test`. */
  async frame() {
    const stored = await readLatest(this.admin, STATE_TOPIC, "test");
    return stored?.value ? parseFrame(String(stored.value)) : null;
  }

  /** Waits until every committed message is stored. */
  async settle(): Promise<void> {
    await waitUntilStored(this.admin);
  }

  async prove() {
    const epoch = await syncSources(this.db, this.admin);
    return prove(this.db, brokerFeed(this.db, this.admin, epoch ?? 0));
  }
}

/** Opens a system before the tests of a suite, and closes it after them. */
export function useSystem<System extends KafkaSystem<ServerDatabase>>(system: System): System {
  beforeAll(() => system.open());
  afterEach(() => system.endGenerators());
  afterAll(() => system.close());
  return system;
}

function opened<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error("The system is not open, or has no such part");
  return part;
}
