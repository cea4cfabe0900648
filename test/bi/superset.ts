import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SupersetLogin } from "../../superset/import/client.ts";
import { freePort } from "../support/ports.ts";
import { pythonEnvironment } from "../support/python.ts";

const FOLDER = join(import.meta.dirname, "../../superset");

/** A real Superset with its metadata in SQLite, initialised and served as in the stack. */
export interface Superset {
  readonly login: SupersetLogin;
  log(): string;
  /** Initialises and restarts it with other secrets. */
  restart(secrets: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORD = "test-administrator";

export async function startSuperset(): Promise<Superset> {
  const environment = pythonEnvironment(join(FOLDER, "requirements.txt"));
  if ("missing" in environment) throw new Error(environment.missing);
  const directory = mkdtempSync(join(tmpdir(), "superset-"));
  const port = await freePort();
  const run = { directory, port, bin: dirname(environment.python) };
  const secrets = {
    "secret-key": "first-key-of-the-test-installation",
    "admin-password": PASSWORD,
  };
  writeSecrets(directory, secrets);
  let server = serve(run);
  const stop = () => end(server);
  return {
    login: { url: `http://127.0.0.1:${port}`, user: "admin", password: PASSWORD },
    log: () => readFileSync(join(directory, "web.log"), "utf8"),
    async restart(changed) {
      await stop();
      writeSecrets(directory, { ...secrets, ...changed });
      server = serve(run);
    },
    async stop() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function writeSecrets(directory: string, secrets: Readonly<Record<string, string>>): void {
  mkdirSync(join(directory, "secrets"), { recursive: true });
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(directory, "secrets", name), value);
  }
}

interface Run {
  readonly directory: string;
  readonly port: number;
  readonly bin: string;
}

function serve({ directory, port, bin }: Run): ChildProcess {
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: directory,
    PYTHONPATH: FOLDER,
    PYTHONDONTWRITEBYTECODE: "1",
    EVENT_PIPELINE_SECRETS: join(directory, "secrets"),
    SUPERSET_HOME: directory,
    SUPERSET_BIND: `127.0.0.1:${port}`,
    SUPERSET_METADATA_URI: `sqlite:///${join(directory, "metadata.db")}`,
  };
  const log = openSync(join(directory, "web.log"), "a");
  return spawn("sh", [join(FOLDER, "start.sh")], { env, stdio: ["ignore", log, log] });
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const gone = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await gone;
}
