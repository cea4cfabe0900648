import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { openBroker } from "../../kafka/client.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { type EnsuredTopics, ensureTopics, resetTopics } from "../../warehouse/epochs/topics.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import {
  type ContainerDatabase,
  DATABASE_SECRETS,
  startContainerDatabase,
} from "../support/container-database.ts";
import { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { waitFor, waitUntilStored } from "./harness.ts";
import { exitOf, kill9 } from "./processes.ts";

const MAIN = join(import.meta.dirname, "../../cli/main.ts");

/** A process of `pipeline ingest`. */
export class IngestProcess {
  readonly child: ChildProcess;
  output = "";

  constructor(environment: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [MAIN, "ingest"], {
      env: { ...process.env, INGEST_HTTP_PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (data: Buffer) => {
        this.output += data.toString();
      });
    }
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Port of /metrics and /healthz, once the process listens. */
  async port(): Promise<number> {
    const line = /"port":(\d+)/;
    await waitFor("the service listens", async () => line.test(this.output));
    return Number(line.exec(this.output)?.[1]);
  }

  async stop(): Promise<number | null> {
    this.child.kill("SIGTERM");
    return exitOf(this.child);
  }

  kill(): Promise<void> {
    return kill9(this.child);
  }
}

/** A broker with its topics, and a database with the tables of `pipeline ingest`. */
export class IngestSystem {
  readonly broker: TestBroker;
  readonly admin: Admin;
  readonly db: ServerDatabase;
  readonly #directory: string;
  #database: ContainerDatabase;
  readonly #processes: IngestProcess[] = [];

  private constructor(
    broker: TestBroker,
    admin: Admin,
    database: ContainerDatabase,
    directory: string,
  ) {
    this.broker = broker;
    this.admin = admin;
    this.#database = database;
    this.#directory = directory;
    this.db = new ServerDatabase({
      url: database.url,
      user: "default",
      password: DATABASE_SECRETS.clickhousePassword,
    });
  }

  static async open(): Promise<IngestSystem> {
    const broker = await TestBroker.start();
    const admin = await openBroker(connectionTo(broker.bootstrap), "test");
    const directory = mkdtempSync(join(tmpdir(), "test-ingest-"));
    const { bootstrap } = broker;
    const database = await startContainerDatabase({ directory, bootstrap });
    const system = new IngestSystem(broker, admin, database, directory);
    await applyDdl(system.db, "service");
    await ensureTopics(admin, { database: system.db });
    return system;
  }

  get url(): string {
    return this.#database.url;
  }

  start(environment: Readonly<Record<string, string>> = {}): IngestProcess {
    const process = new IngestProcess({
      KAFKA_BOOTSTRAP_SERVERS: this.broker.bootstrap,
      CLICKHOUSE_URL: this.url,
      CLICKHOUSE_PASSWORD: DATABASE_SECRETS.clickhousePassword,
      INGEST_BATCH_MS: "300",
      ...environment,
    });
    this.#processes.push(process);
    return process;
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

  /** Deletes topics, groups and rows, so that a test begins with nothing. */
  async clear(): Promise<void> {
    await resetTopics(this.admin, { database: this.db, clearsLayers: true });
  }

  async stopProcesses(): Promise<void> {
    for (const process of this.#processes.splice(0)) if (process.isRunning) await process.stop();
  }

  /** Waits until every committed message is stored. */
  async settle(): Promise<void> {
    await waitUntilStored(this.admin);
  }

  /** Stops the database; returns a function that starts it again on the same port. */
  async stopDatabase(): Promise<() => Promise<void>> {
    await this.#database.stop();
    return async () => {
      this.#database = await startContainerDatabase({
        directory: this.#directory,
        bootstrap: this.broker.bootstrap,
        httpPort: this.#database.http,
      });
    };
  }

  async close(): Promise<void> {
    await this.stopProcesses();
    await this.db.close();
    await this.#database.stop();
    await this.admin.close();
    await this.broker.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Rows in `stg`. */
export async function rawRowCount(db: ServerDatabase): Promise<number> {
  const [row] = await db.rows<{ rows: number }>("SELECT count() AS rows FROM stg.raw FINAL");
  return row?.rows ?? 0;
}
