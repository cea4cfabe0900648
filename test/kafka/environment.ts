import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { openBroker } from "../../kafka/client.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { type EnsuredTopics, ensureTopics, resetTopics } from "../../warehouse/epochs/topics.ts";
import { connectionTo } from "./connection.ts";
import { type Consumer, openConsumer } from "./consumer.ts";
import { waitUntilStored } from "./harness.ts";
import { emptyBroker, type SharedBroker } from "./shared-broker.ts";

/** The broker of the run with its topics, and an engine that reads them. */
export class TestSystem {
  readonly broker: SharedBroker;
  readonly admin: Admin;
  readonly db: Consumer;
  readonly #directory: string;

  private constructor(broker: SharedBroker, admin: Admin, db: Consumer, directory: string) {
    this.broker = broker;
    this.admin = admin;
    this.db = db;
    this.#directory = directory;
  }

  static async open(): Promise<TestSystem> {
    const broker = await emptyBroker();
    const connection = connectionTo(broker.bootstrap);
    const admin = await openBroker(connection, "test");
    await ensureTopics(admin, { database: null });
    const directory = mkdtempSync(join(tmpdir(), "test-engine-"));
    const db = await openConsumer(directory, connection);
    await ensureTopics(admin, { database: db });
    return new TestSystem(broker, admin, db, directory);
  }

  publisher(): Promise<KafkaPublisher> {
    return KafkaPublisher.open({
      connection: connectionTo(this.broker.bootstrap),
      instance: "test",
    });
  }

  reset(): Promise<EnsuredTopics> {
    return resetTopics(this.admin, { database: this.db });
  }

  /** Waits until every committed message is stored. */
  async settle(): Promise<void> {
    await waitUntilStored(this.admin);
  }

  async close(): Promise<void> {
    await this.db.close();
    await this.admin.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
