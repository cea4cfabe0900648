import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SchedulerClient } from "../../airflow/api-client.ts";
import { airflowSettings } from "../../components/airflow/settings.ts";
import { freePort } from "../support/ports.ts";
import { pythonEnvironment } from "../support/python.ts";
import { notedDeprecations, watchDeprecations } from "./deprecations.ts";
import { findPython } from "./needs.ts";
import { TestPostgres } from "./postgres.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Folders of this project's Python code. */
export const OWN = join(ROOT, "airflow");
export const DAGS = join(OWN, "dags");
/** A password that begins with a dash: scripts must not take it for an option. */
const PASSWORD = "-a-password-for-tests-only";
const READY_WITHIN_MS = 1_200_000;

type Environment = Readonly<Record<string, string>>;

/** Folder of the locked Airflow environment, installed once per lock. */
export function airflowPrograms(): string {
  const found = pythonEnvironment(join(ROOT, "airflow/requirements.lock"), findPython());
  if ("missing" in found) throw new Error(found.missing);
  return dirname(found.python);
}

/** Environment variables that point Airflow to its home, database and DAGs. */
export const airflowHome = (home: string, database: string): Environment => ({
  AIRFLOW_HOME: home,
  AIRFLOW__CORE__DAGS_FOLDER: DAGS,
  AIRFLOW__DATABASE__SQL_ALCHEMY_CONN: database,
  AIRFLOW__LOGGING__BASE_LOG_FOLDER: join(home, "logs"),
});

/** A real Airflow scheduler and web server with the stack's settings. */
export class TestAirflow {
  readonly client: SchedulerClient;
  /** Settings with which the pipeline's command line reaches Airflow. */
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

  /**
   * Starts on free ports and waits until the scheduler sends heartbeats and every DAG is parsed.
   */
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
    await airflow.#waitForReadiness();
    return airflow;
  }

  /** Calls of the REST API that only tests need. */
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

  /** Queries the metadata database; returns rows as lines. */
  metadata(sql: string): string {
    return this.#postgres.ask(sql);
  }

  /** Runs the scheduler's start-up script, keeping this many days of runs. */
  upkeep(days: number): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync("bash", [join(OWN, "upkeep.sh")], {
      cwd: this.#home,
      env: { ...this.#env, LOG_DAYS: String(days) },
      encoding: "utf8",
    });
    return { status, output: `${stdout}${stderr}` };
  }

  /** Deprecation warnings that this project's code caused, on import and in tasks. */
  get deprecations(): string[] {
    return notedDeprecations(join(this.#home, DEPRECATIONS));
  }

  /** Logs of the scheduler and the web server, to analyse a failure. */
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

  async #waitForReadiness(): Promise<void> {
    for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(1_000)) {
      try {
        if ((await this.client.dags()).length >= DAG_COUNT) return;
      } catch {
        // The server does not listen yet.
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
    // The client takes seconds to load, so one instance is reused.
    AIRFLOW__WEBSERVER__WORKERS: "1",
    AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_SERVER_PORT: String(healthPort),
    AIRFLOW__WEBSERVER__SECRET_KEY: "a-key-for-tests-only",
    ADMIN_PASSWORD_FILE: password,
    ...watchDeprecations(`${OWN}/`, join(home, DEPRECATIONS)),
    HOME: home,
    // Tasks must run the same Node.
    PATH: [dirname(process.execPath), programs, process.env.PATH].join(delimiter),
    ...tasks,
  };
}

/** Pause between two looks at the process list; an Airflow command runs for seconds. */
const LOOK_MS = 200;

/**
 * Creates the user with the init job's script; its password must not appear in the process list.
 */
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
  for (; child.exitCode === null && child.signalCode === null; await sleep(LOOK_MS)) {
    seen ??= argumentsOfAll().find((line) => line.includes(PASSWORD));
  }
  const [status] = await end;
  if (status !== 0) throw new Error(`airflow/init.sh failed: ${readFileSync(log, "utf8")}`);
  if (seen) throw new Error(`The administrator's password is an argument: ${seen}`);
}

/** Command line of every process of this machine, as any user can read it. */
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

/** Starts a process group, because both programs start children. */
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
    // The process has ended by itself.
  }
}
