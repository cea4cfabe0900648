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
const PASSWORD = 'a "password" for tests only';
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

const PROGRAMS = ["api-server", "scheduler", "dag-processor"] as const;

/** A real Airflow with the stack's settings: API server, scheduler and DAG processor. */
export class TestAirflow {
  readonly client: SchedulerClient;
  /** Settings with which the pipeline's command line reaches Airflow. */
  readonly environment: Environment;
  readonly #home: string;
  readonly #env: Environment;
  readonly #postgres: TestPostgres;
  readonly #children: readonly ChildProcess[];
  #token: string | undefined;

  private constructor(
    url: string,
    { home, env }: { home: string; env: Environment },
    postgres: TestPostgres,
    children: readonly ChildProcess[],
  ) {
    this.client = new SchedulerClient({ url, user: "admin", password: PASSWORD });
    this.environment = clientSettings(url);
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
    const ports = [await freePort(), await freePort()] as const;
    const env = environmentOf(programs, home, postgres.url, ports, tasks);
    const migrated = spawnSync("bash", [join(OWN, "init.sh")], {
      cwd: home,
      env,
      encoding: "utf8",
    });
    if (migrated.status !== 0) throw new Error(`airflow/init.sh failed: ${migrated.stderr}`);
    const children = PROGRAMS.map((program) => startProgram(home, env, program));
    const place = { home, env };
    const airflow = new TestAirflow(urlOf(ports[0]), place, postgres, children);
    await airflow.#waitForReadiness();
    return airflow;
  }

  /** Calls of the REST API that only tests need. */
  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    this.#token ??= await tokenOf(this.environment.AIRFLOW_URL ?? "");
    const response = await fetch(`${this.environment.AIRFLOW_URL}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
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

  /** Log of a program, to analyse a failure. */
  logOf(program: (typeof PROGRAMS)[number]): string {
    return readFileSync(join(this.#home, `${program}.log`), "utf8");
  }

  /** Command lines of this machine that show the administrator's password, as any user can read them. */
  static argumentsWithPassword(): string[] {
    return argumentsOfAll().filter((line) => line.includes(PASSWORD));
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
    const tails = PROGRAMS.map((one) => this.logOf(one).slice(-3_000));
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
  [port, healthPort]: readonly [number, number],
  tasks: Environment,
): Environment {
  const passwords = join(home, "passwords.json");
  writeFileSync(passwords, JSON.stringify({ admin: PASSWORD }));
  return {
    ...airflowSettings,
    ...airflowHome(home, database),
    AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_SERVER_PORT: String(healthPort),
    AIRFLOW__API__HOST: "127.0.0.1",
    AIRFLOW__API__PORT: String(port),
    AIRFLOW__API__BASE_URL: urlOf(port),
    AIRFLOW__API_AUTH__JWT_SECRET:
      "a-key-for-tests-only-of-at-least-64-bytes-because-of-its-algorithm",
    AIRFLOW__CORE__EXECUTION_API_SERVER_URL: `${urlOf(port)}/execution/`,
    PASSWORDS_FILE: passwords,
    ...watchDeprecations(`${OWN}/`, join(home, DEPRECATIONS)),
    HOME: home,
    // Tasks must run the same Node.
    PATH: [dirname(process.execPath), programs, process.env.PATH].join(delimiter),
    ...clientSettings(urlOf(port)),
    ...tasks,
  };
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

const clientSettings = (url: string): Environment => ({
  AIRFLOW_URL: url,
  AIRFLOW_USER: "admin",
  AIRFLOW_PASSWORD: PASSWORD,
});

async function tokenOf(url: string): Promise<string> {
  const response = await fetch(`${url}/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password: PASSWORD }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
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

/** Commands as in the image, where a script also runs the scheduler's upkeep. */
const COMMANDS = {
  "api-server": ["bash", join(OWN, "api-server.sh")],
  scheduler: ["airflow", "scheduler", "--skip-serve-logs"],
  "dag-processor": ["airflow", "dag-processor"],
} as const;

/** Starts a process group, because the programs start children. */
function startProgram(
  home: string,
  env: Environment,
  program: (typeof PROGRAMS)[number],
): ChildProcess {
  const log = openSync(join(home, `${program}.log`), "a");
  const [command, ...args] = COMMANDS[program];
  const child = spawn(command, args, {
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
