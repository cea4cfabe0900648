import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEntry, TaskInstance } from "../../airflow/api-client.ts";
import { failuresOf, watchRun } from "../../airflow/watch-run.ts";
import { statsdSettings } from "../../components/statsd-exporter/index.ts";
import { type GeneratorStatus, readStatus } from "../../generator/client/http-client.ts";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { digests } from "../../warehouse/reconciliation/digests.ts";
import { TestBroker } from "../kafka/broker.ts";
import { GENERATOR_TOKEN, GeneratorProcess } from "../kafka/generator.ts";
import { pipelineAsync } from "../support/cli.ts";
import {
  type ContainerDatabase,
  DATABASE_SECRETS,
  startContainerDatabase,
} from "../support/container-database.ts";
import { freePort } from "../support/ports.ts";
import { TestAirflow } from "./airflow.ts";
import { StatsdListener } from "./statsd.ts";

/** Time limit of a run in seconds; each task takes seconds to start. */
const RUN_SECONDS = 1_200;

export interface EndedRun {
  readonly id: string;
  readonly state: string;
  readonly tasks: Readonly<Record<string, TaskInstance>>;
  /** Error output of the failed tasks, by task. */
  readonly failures: Readonly<Record<string, string>>;
}

export const textOf = (log: readonly LogEntry[]): string =>
  log.map(({ event }) => event).join("\n");

interface Parts {
  readonly broker: TestBroker;
  readonly directory: string;
  readonly databasePort: number;
  readonly airflow: TestAirflow;
  readonly statsd: StatsdListener;
  readonly environment: Readonly<Record<string, string>>;
}

/** Airflow with a broker, a database and, if requested, a generator. */
export class TestSystem {
  readonly broker: TestBroker;
  readonly airflow: TestAirflow;
  readonly db: ServerDatabase;
  /** Metrics that Airflow has sent. */
  readonly statsd: StatsdListener;
  /** Environment of the pipeline's command line, in tasks and in tests. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #parts: Parts;
  #database: ContainerDatabase | undefined;
  #generator: GeneratorProcess | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.broker = parts.broker;
    this.airflow = parts.airflow;
    this.statsd = parts.statsd;
    this.environment = { ...parts.environment, ...parts.airflow.environment };
    const { CLICKHOUSE_URL: url = "", CLICKHOUSE_PASSWORD: password = "" } = parts.environment;
    this.db = new ServerDatabase({ url, user: "default", password });
  }

  static async open(): Promise<TestSystem> {
    const broker = await TestBroker.start();
    const [databasePort, generatorPort] = [await freePort(), await freePort()];
    const environment = {
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrap,
      CLICKHOUSE_URL: `http://127.0.0.1:${databasePort}`,
      CLICKHOUSE_PASSWORD: DATABASE_SECRETS.clickhousePassword,
      GENERATOR_URL: `http://127.0.0.1:${generatorPort}`,
      GENERATOR_INSTANCE: "test",
      CONTROL_TOKEN: GENERATOR_TOKEN,
    };
    const statsd = await StatsdListener.open();
    const airflow = await TestAirflow.start({
      ...environment,
      ...statsdSettings("127.0.0.1", statsd.port),
    });
    const directory = mkdtempSync(join(tmpdir(), "test-database-"));
    const system = new TestSystem({
      broker,
      directory,
      databasePort,
      airflow,
      statsd,
      environment,
    });
    await system.startDatabase();
    return system;
  }

  /** Starts or restarts the database on the same data and port. */
  async startDatabase(): Promise<void> {
    const { directory, databasePort, broker } = this.#parts;
    this.#database = await startContainerDatabase({
      directory,
      httpPort: databasePort,
      bootstrap: broker.bootstrap,
    });
  }

  async killDatabase(): Promise<void> {
    await this.#database?.stop("SIGKILL");
    this.#database = undefined;
  }

  /** Starts a generator at the address in the tasks' environment. */
  async startGenerator(env: Readonly<Record<string, string>> = {}): Promise<GeneratorProcess> {
    const port = new URL(this.environment.GENERATOR_URL ?? "").port;
    this.#generator = new GeneratorProcess(this.broker.bootstrap, {
      ...env,
      GENERATOR_HTTP_PORT: port,
    });
    return this.#generator.listening();
  }

  /** Status of the generator. @throws when it does not answer */
  async generatorStatus(): Promise<GeneratorStatus> {
    return readStatus({ url: this.environment.GENERATOR_URL ?? "", token: undefined });
  }

  async stopGenerator(): Promise<void> {
    await this.#generator?.kill9();
    this.#generator = undefined;
  }

  /** Runs a pipeline command asynchronously, so that the DAGs' tasks continue. */
  pipeline(...args: string[]) {
    return pipelineAsync(args, this.environment);
  }

  /** Starts a run and returns its id. @throws UserError when the scheduler refuses it */
  async trigger(dag: string, conf: object = {}): Promise<string> {
    return (await this.airflow.client.trigger(dag, conf)).dag_run_id;
  }

  /** Waits until a run has ended. */
  async ended(dag: string, id: string): Promise<EndedRun> {
    const { client } = this.airflow;
    const options = { withinSeconds: RUN_SECONDS, onTask: () => undefined };
    const { state } = await watchRun(client, dag, id, options);
    const tasks = await client.tasks(dag, id);
    const failures = await failuresOf(client, dag, id);
    return {
      id,
      state,
      tasks: Object.fromEntries(tasks.map((task) => [task.task_id, task])),
      failures: Object.fromEntries(failures.map(({ task, words }) => [task, words])),
    };
  }

  async run(dag: string, conf: object = {}): Promise<EndedRun> {
    return this.ended(dag, await this.trigger(dag, conf));
  }

  /** Rows and digest of every typed table, by name. */
  async digests(): Promise<Record<string, string>> {
    const lines = await digests(this.db);
    return Object.fromEntries(lines.map(({ name, rows, digest }) => [name, `${rows} ${digest}`]));
  }

  async rows(table: string): Promise<number> {
    const [row] = await this.db.rows<{ c: number }>(`SELECT count() AS c FROM ${table}`);
    return Number(row?.c);
  }

  /** Drops every layer, as if the volume had been lost. */
  async dropLayers(): Promise<void> {
    for (const layer of ["dm_internal", "dm", "dds", "ods", "stg"]) {
      await this.db.run(`DROP DATABASE IF EXISTS ${layer} SYNC`);
    }
  }

  async close(): Promise<void> {
    await this.stopGenerator();
    await this.airflow.stop();
    await this.statsd.close();
    await this.db.close();
    await this.killDatabase();
    await this.broker.stop();
    rmSync(this.#parts.directory, { recursive: true, force: true });
  }
}
