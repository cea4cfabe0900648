import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { copyProject } from "../support/copy-project.ts";
import { shellBlocks } from "../support/page-blocks.ts";

/**
 * A copy of the project with separate state, so that the checkout and its stacks stay unchanged.
 */
export const ROOT = copyProject("stack-level-");
const STATE = join(ROOT, ".state");
mkdirSync(join(STATE, "backend"), { recursive: true });
export const forgetState = (): void => rmSync(ROOT, { recursive: true, force: true });

interface Result {
  readonly code: number;
  readonly text: string;
}

/** Environment of a program that uses this state. */
export const operateEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  EVENT_PIPELINE_STATE: STATE,
  YES: "1",
  // Ignores the backend that the user is logged in to.
  PULUMI_BACKEND_URL: `file://${join(STATE, "backend")}`,
  // Otherwise every run tries to download Grafana's provider, which no stack of this level uses.
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
});

/** Variables of another checkout, whose stacks have the same names and a state of their own. */
export const ELSEWHERE = {
  EVENT_PIPELINE_STATE: join(ROOT, ".elsewhere"),
  PULUMI_BACKEND_URL: `file://${join(ROOT, ".elsewhere")}?create_dir=true`,
  // The folder, and so the file with encrypted values, is the same.
  PULUMI_CONFIG_PASSPHRASE_FILE: join(STATE, "passphrase"),
};

/** Runs `pipeline stack …` as an operator does; returns all output. */
export const operate = (stack: string, command: string, ...args: readonly string[]): Result =>
  operateIn({}, stack, command, ...args);

/** Runs the same with extra environment variables. */
export function operateIn(
  environment: Readonly<Record<string, string>>,
  stack: string,
  command: string,
  ...args: readonly string[]
): Result {
  const { status, stdout, stderr } = run(environment, [command, "--stack", stack, ...args]);
  transcript.push(stdout, stderr);
  return { code: status ?? 1, text: `${stdout}${stderr}` };
}

/** Runs `pipeline stack …` without recording its output as seen by the operator. */
const run = (environment: Readonly<Record<string, string>>, args: readonly string[]) =>
  spawnSync(process.execPath, [join(ROOT, "cli/main.ts"), "stack", ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...operateEnvironment(), ...environment },
    maxBuffer: 64 * 1024 * 1024,
  });

const transcript: string[] = [];

/**
 * Runs the shell block number `index` of those that a page marks `on the stack`, as it is typed.
 * `replaced` has other values for names in it. @returns the output
 */
export function runPageBlock(
  stack: string,
  page: string,
  index: number,
  replaced: Readonly<Record<string, string>> = {},
): string {
  const code = Object.entries(replaced).reduce((text, [name, value]) => {
    if (!text.includes(name)) throw new Error(`block ${index} of ${page} lacks ${name}`);
    return text.replaceAll(name, value);
  }, shellBlocks(page, "stack")[index]?.code ?? "exit 1");
  return shell(code, { STACK: stack, LIMIT: "500", YES: "1", PULUMI_SKIP_CONFIRMATIONS: "true" });
}

/** Runs commands as they are typed. @returns the output */
export function shell(code: string, environment: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-e", "-c", code], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...operateEnvironment(), ...environment },
    maxBuffer: 64 * 1024 * 1024,
  });
  transcript.push(stdout, stderr);
  if (status !== 0) throw new Error(`${code}\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

/** All output that the operator has seen. */
export const printed = (): string => transcript.join("");

/** Log of a container. */
export function logOf(id: string): string {
  const { stdout, stderr } = spawnSync("docker", ["logs", id], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout + stderr;
}

export function docker(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("docker", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`docker ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** Ids of the stack's running containers by service. */
export function services(stack: string): Record<string, string> {
  const filter = ["--filter", `label=event-pipeline.stack=${stack}`];
  const format = '{{.Label "event-pipeline.service"}}\t{{.ID}}';
  const lines = docker("ps", "--no-trunc", ...filter, "--format", format).split("\n");
  return Object.fromEntries(lines.filter((line) => line !== "").map((line) => line.split("\t")));
}

const LISTINGS = {
  container: ["ps", "--all"],
  volume: ["volume", "ls"],
  network: ["network", "ls"],
  image: ["image", "ls", "--all"],
} as const;

/** Ids of the objects with the stack's label. */
export function belongings(stack: string): string[] {
  const filter = ["--quiet", "--filter", `label=event-pipeline.stack=${stack}`];
  return Object.values(LISTINGS)
    .map((listing) => docker(...listing, ...filter))
    .filter((ids) => ids !== "");
}

/** Secrets of a stack after `up`. */
export function readSecrets(stack: string): Record<string, string> {
  const { stdout } = run({}, ["secrets", "--json", "--stack", stack]);
  return JSON.parse(stdout);
}

/** Sets a secret of the stack to a given value. */
export const setSecret = (stack: string, name: string, value: string): string =>
  pulumi(stack, "config", "set", "--secret", `event-pipeline:${name}`, value);

/** Variables with which plain `pulumi` works on the stacks of `make`. */
export const pulumiEnvironment = (): NodeJS.ProcessEnv => ({
  ...operateEnvironment(),
  PATH: [join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter),
  PULUMI_CONFIG_PASSPHRASE_FILE: join(STATE, "passphrase"),
});

/** Runs plain `pulumi` on a stack of `make up`. */
export function pulumi(stack: string, ...args: readonly string[]): string {
  const options = ["--stack", stack, "--non-interactive"];
  const { status, stdout, stderr } = spawnSync(
    join(ROOT, "node_modules/.bin/pulumi"),
    [...args, ...options],
    {
      cwd: ROOT,
      encoding: "utf8",
      env: pulumiEnvironment(),
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`pulumi ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** Content of all files that Pulumi wrote: states, previous states, history. */
export function recordedState(): string {
  const files = readdirSync(join(STATE, "backend"), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "utf8"))
    .join("\n");
}

/** Writes a file of the copy; returns a function that restores it. */
export function writeFile(path: string, text: string): () => void {
  const file = join(ROOT, path);
  const previous = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  writeFileSync(file, text);
  return () => {
    if (previous === undefined) rmSync(file);
    else writeFileSync(file, previous);
  };
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** HTTP status of a query with a user's password. */
export async function login(user: string, password: string, port: number): Promise<number> {
  const headers = { connection: "close", "X-ClickHouse-User": user, "X-ClickHouse-Key": password };
  return (await fetch(`http://127.0.0.1:${port}/?query=SELECT+1`, { headers })).status;
}

/** Runs a statement as the administrator, in a new connection: a kept one may lead to a removed container. */
async function execute(stack: string, sql: string, port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: sql,
    headers: {
      connection: "close",
      "X-ClickHouse-User": "default",
      "X-ClickHouse-Key": readSecrets(stack).clickhousePassword ?? "",
    },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${sql}: ${text}`);
  return text.trim();
}

export const count = async (stack: string, table: string, port: number): Promise<number> =>
  Number(await execute(stack, `SELECT count() FROM ${table}`, port));
