import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SchedulerClient } from "../../airflow/api-client.ts";
import { airflowSettings } from "../../components/scheduler/airflow-settings.ts";
import { pythonEnvironment } from "../support/python.ts";
import { notedDeprecations, watchDeprecations } from "./deprecations.ts";
import { findPython } from "./needs.ts";
import { freePort, TestPostgres } from "./postgres.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Everything in Python that is ours. */
export const OWN = join(ROOT, "airflow");
export const DAGS = join(OWN, "dags");
/** As a stack's may begin: what passes it on must not take it for an option. */
const PASSWORD = "-a-password-for-tests-only";
const READY_WITHIN_MS = 180_000;

type Environment = Readonly<Record<string, string>>;

/** Folder of the programs of Airflow as locked, installed once per content of the lock. */
export function airflowPrograms(): string {
  const found = pythonEnvironment(join(ROOT, "airflow/requirements.lock"), findPython());
  if ("missing" in found) throw new Error(found.missing);
  return dirname(found.python);
}

/** Settings with which the programs of Airflow find their home, database and DAGs. */
export const airflowHome = (home: string, database: string): Environment => ({
  AIRFLOW_HOME: home,
  AIRFLOW__CORE__DAGS_FOLDER: DAGS,
  AIRFLOW__DATABASE__SQL_ALCHEMY_CONN: database,
  AIRFLOW__LOGGING__BASE_LOG_FOLDER: join(home, "logs"),
});

/** Scheduler and web server of the real Airflow, with the settings that the stack gives them. */
export class TestAirflow {
  readonly client: SchedulerClient;
  /** What the pipeline's command line needs to reach it. */
  readonly environment: Environment;
  readonly #home: string;
  readonly #env: Environment;
  readonly #postgres: TestPostgres;
  readonly #children: readonly ChildProcess[];

  private constructor(
    url: string,
    { home, env }: { home: string; env: Environment },
    postgres: TestPostgres,
    children: readonly ChildProcess[],
  ) {
    this.client = new SchedulerClient({ url, user: "admin", password: PASSWORD });
    this.environment = { AIRFLOW_URL: url, AIRFLOW_USER: "admin", AIRFLOW_PASSWORD: PASSWORD };
    this.#home = home;
    this.#env = env;
    this.#postgres = postgres;
    this.#children = children;
  }

  /** Starts on free ports and waits until the scheduler's heart beats and every DAG is known. */
  static async start(tasks: Environment): Promise<TestAirflow> {
    const programs = airflowPrograms();
    const postgres = await TestPostgres.start();
    const home = mkdtempSync(join(tmpdir(), "test-airflow-"));
    const [webPort, healthPort] = [await freePort(), await freePort()];
    const env = environmentOf(programs, home, postgres.url, healthPort, tasks);
    await initialise(home, env);
    const start = (...args: string[]) => startProgram(programs, home, env, args);
    const children = [
      start("scheduler"),
      start("webserver", "--port", String(webPort), "--hostname", "127.0.0.1"),
    ];
    const place = { home, env };
    const airflow = new TestAirflow(`http://127.0.0.1:${webPort}`, place, postgres, children);
    await airflow.#untilReady();
    return airflow;
  }

  /** What tests ask of the REST API and the pipeline does not. */
  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.environment.AIRFLOW_URL}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString("base64")}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Asks its metadata; rows as lines. */
  metadata(sql: string): string {
    return this.#postgres.ask(sql);
  }

  /** Runs the script that the scheduler runs at its start, with this many days to keep. */
  upkeep(days: number): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync("bash", [join(OWN, "upkeep.sh")], {
      cwd: this.#home,
      env: { ...this.#env, LOG_DAYS: String(days) },
      encoding: "utf8",
    });
    return { status, output: `${stdout}${stderr}` };
  }

  /** What our own files use that is deprecated: read, and run as tasks. */
  get deprecations(): string[] {
    return notedDeprecations(join(this.#home, DEPRECATIONS));
  }

  /** Logs of scheduler and web server, for post-mortems. */
  logOf(program: "scheduler" | "webserver"): string {
    return readFileSync(join(this.#home, `${program}.log`), "utf8");
  }

  async stop(): Promise<void> {
    for (const child of this.#children) killGroup(child);
    for (const child of this.#children) {
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    await this.#postgres.stop();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #untilReady(): Promise<void> {
    for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(1_000)) {
      try {
        if ((await this.client.dags()).length >= DAG_COUNT) return;
      } catch {
        // Not listening yet.
      }
    }
    const tails = (["scheduler", "webserver"] as const).map((one) => this.logOf(one).slice(-3_000));
    await this.stop();
    throw new Error(`Airflow did not become ready:\n${tails.join("\n")}`);
  }
}

const DAG_COUNT = 5;
const DEPRECATIONS = "deprecations.jsonl";

function environmentOf(
  programs: string,
  home: string,
  database: string,
  healthPort: number,
  tasks: Environment,
): Environment {
  const password = join(home, "admin-password");
  writeFileSync(password, PASSWORD);
  return {
    ...airflowSettings,
    ...airflowHome(home, database),
    // Each takes seconds to load; one is enough for one client.
    AIRFLOW__WEBSERVER__WORKERS: "1",
    AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_SERVER_PORT: String(healthPort),
    AIRFLOW__WEBSERVER__SECRET_KEY: "a-key-for-tests-only",
    ADMIN_PASSWORD_FILE: password,
    ...watchDeprecations(`${OWN}/`, join(home, DEPRECATIONS)),
    HOME: home,
    // This very Node for the tasks.
    PATH: [dirname(process.execPath), programs, process.env.PATH].join(delimiter),
    ...tasks,
  };
}

/** By the very script of the stack's init job; its password must not be seen among the processes. */
async function initialise(home: string, env: Environment): Promise<void> {
  const log = join(home, "init.log");
  const output = openSync(log, "w");
  const child = spawn("bash", [join(OWN, "init.sh")], {
    cwd: home,
    env,
    stdio: ["ignore", output, output],
  });
  const end = once(child, "exit");
  let seen: string | undefined;
  for (; child.exitCode === null && child.signalCode === null; await sleep(20)) {
    seen ??= argumentsOfAll().find((line) => line.includes(PASSWORD));
  }
  const [status] = await end;
  if (status !== 0) throw new Error(`airflow/init.sh failed: ${readFileSync(log, "utf8")}`);
  if (seen) throw new Error(`The administrator's password is an argument: ${seen}`);
}

/** Command line of every process of this machine, as anybody may read it. */
const argumentsOfAll = (): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    });

/** In a process group of its own: both programs start others. */
function startProgram(
  programs: string,
  home: string,
  env: Environment,
  args: readonly string[],
): ChildProcess {
  const log = openSync(join(home, `${args[0]}.log`), "a");
  const child = spawn(join(programs, "airflow"), [...args], {
    cwd: home,
    env,
    stdio: ["ignore", log, log],
    detached: true,
  });
  process.once("exit", () => killGroup(child));
  return child;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
