import { ServerDatabase } from "../../warehouse/database/http.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { CLI } from "../support/cli.ts";
import {
  type ContainerDatabase,
  DATABASE_SECRETS,
  startContainerDatabase,
} from "../support/container-database.ts";
import { ScriptProcess } from "../support/process.ts";
import { TestBroker } from "./broker.ts";
import { KafkaSystem } from "./system.ts";

/** A process of `pipeline ingest`. */
export class IngestProcess extends ScriptProcess {
  constructor(environment: Readonly<Record<string, string>>) {
    super([CLI, "ingest"], { ...process.env, INGEST_HTTP_PORT: "0", ...environment });
  }

  /** Port of /metrics and /healthz, once the process listens. */
  async port(): Promise<number> {
    const [, port] = await this.printed(/"port":(\d+)/);
    return Number(port);
  }
}

/** A broker with its topics, and a database with the tables of `pipeline ingest`. */
export class IngestSystem extends KafkaSystem<ServerDatabase> {
  #database: ContainerDatabase | undefined;
  readonly #processes: IngestProcess[] = [];

  constructor() {
    super({ broker: () => TestBroker.start(), database: () => this.#openDatabase() });
  }

  async #openDatabase(): Promise<ServerDatabase> {
    await this.#startDatabase(0);
    const db = new ServerDatabase({
      url: this.url,
      user: "default",
      password: DATABASE_SECRETS.clickhousePassword,
    });
    await applyDdl(db, "service");
    return db;
  }

  async #startDatabase(httpPort: number): Promise<void> {
    const { directory, bootstrap } = this;
    this.#database = await startContainerDatabase({ directory, bootstrap, httpPort });
  }

  get url(): string {
    return this.#database?.url ?? "";
  }

  start(environment: Readonly<Record<string, string>> = {}): IngestProcess {
    const process = new IngestProcess({
      KAFKA_BOOTSTRAP_SERVERS: this.bootstrap,
      CLICKHOUSE_URL: this.url,
      CLICKHOUSE_PASSWORD: DATABASE_SECRETS.clickhousePassword,
      INGEST_BATCH_MS: "300",
      ...environment,
    });
    this.#processes.push(process);
    return process;
  }

  async stopProcesses(): Promise<void> {
    for (const process of this.#processes.splice(0)) if (process.isRunning) await process.stop();
  }

  /** Stops the database; returns a function that starts it again on the same port. */
  async stopDatabase(): Promise<() => Promise<void>> {
    const { http = 0 } = this.#database ?? {};
    await this.#database?.stop();
    return () => this.#startDatabase(http);
  }

  override async close(): Promise<void> {
    await this.stopProcesses();
    await this.#database?.stop();
    await super.close();
  }
}

/** Rows in `stg`. */
export async function rawRowCount(db: ServerDatabase): Promise<number> {
  const [row] = await db.rows<{ rows: number }>("SELECT count() AS rows FROM stg.raw FINAL");
  return row?.rows ?? 0;
}
