import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../support/ports.ts";
import { findPostgres } from "./needs.ts";

/** PostgreSQL refuses to run as root, so the test runs it as `nobody`. */
const NOBODY = 65_534;
const ANSWERS_WITHIN_MS = 180_000;
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A PostgreSQL server with a database `airflow` in a temporary folder. */
export class TestPostgres {
  /** Address in SQLAlchemy's form. */
  readonly url: string;
  readonly #port: number;
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(port: number, directory: string, child: ChildProcess) {
    this.url = `postgresql+psycopg2://airflow@127.0.0.1:${port}/airflow`;
    this.#port = port;
    this.#directory = directory;
    this.#process = child;
  }

  static async start(): Promise<TestPostgres> {
    const programs = findPostgres() ?? "";
    const directory = mkdtempSync(join(tmpdir(), "test-postgres-"));
    chmodSync(directory, 0o700);
    if ("uid" in owner) chownSync(directory, NOBODY, NOBODY);
    const data = join(directory, "data");
    const options = { ...owner, cwd: directory, encoding: "utf8" } as const;
    const made = spawnSync(
      join(programs, "initdb"),
      ["-D", data, "-U", "airflow", "--auth", "trust", "--no-sync"],
      options,
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    const port = await freePort();
    const child = spawn(
      join(programs, "postgres"),
      ["-D", data, "-p", String(port), "-k", directory, "-c", "fsync=off"],
      { ...owner, cwd: directory, stdio: "ignore" },
    );
    process.once("exit", () => child.kill("SIGKILL"));
    await createDatabase(programs, port, child);
    return new TestPostgres(port, directory, child);
  }

  /** Runs a statement; returns rows as lines. @throws Error with the statement's error */
  ask(sql: string): string {
    const psql = join(findPostgres() ?? "", "psql");
    const address = ["-h", "127.0.0.1", "-p", String(this.#port), "-U", "airflow"];
    const args = [...address, "-v", "ON_ERROR_STOP=1", "-qtAc", sql, "airflow"];
    const { status, stdout, stderr } = spawnSync(psql, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGQUIT");
    if (this.#process.exitCode === null) await once(this.#process, "exit");
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

async function createDatabase(programs: string, port: number, child: ChildProcess): Promise<void> {
  const args = ["-h", "127.0.0.1", "-p", String(port), "-U", "airflow", "airflow"];
  for (const deadline = Date.now() + ANSWERS_WITHIN_MS; Date.now() < deadline; await sleep(200)) {
    if (spawnSync(join(programs, "createdb"), args).status === 0) return;
    if (child.exitCode !== null) break;
  }
  throw new Error("PostgreSQL does not answer");
}
