import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** A folder of state of its own: nothing of the user's stacks is touched. */
const STATE = mkdtempSync(join(tmpdir(), "stack-level-"));
export const forgetState = (): void => rmSync(STATE, { recursive: true, force: true });

interface Result {
  readonly code: number;
  readonly text: string;
}

/** Environment of a program that works on this state. */
export const operateEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  EVENT_PIPELINE_STATE: STATE,
});

/** What an operator types: `pipeline stack …`, with everything it printed. */
export const operate = (stack: string, command: string, ...args: readonly string[]): Result =>
  operateIn({}, stack, command, ...args);

/** The same from a shell that has variables set. */
export const operateIn = (
  environment: Readonly<Record<string, string>>,
  stack: string,
  command: string,
  ...args: readonly string[]
): Result => operateFrom(ROOT, environment, stack, command, ...args);

/** The same by the program of another folder. */
export function operateFrom(
  root: string,
  environment: Readonly<Record<string, string>>,
  stack: string,
  command: string,
  ...args: readonly string[]
): Result {
  const { status, stdout, stderr } = run(root, environment, [command, "--stack", stack, ...args]);
  transcript.push(stdout, stderr);
  return { code: status ?? 1, text: `${stdout}${stderr}` };
}

/** Runs `pipeline stack …`; what it prints is not shown to the operator. */
function run(
  root: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  input = "",
) {
  return spawnSync(process.execPath, [join(root, "pipeline/cli.ts"), "stack", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...operateEnvironment(), ...environment },
    input,
    maxBuffer: 64 * 1024 * 1024,
  });
}

const transcript: string[] = [];
/** Everything the operator has seen so far. */
export const printed = (): string => transcript.join("");

/** What a container has written to its log. */
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

/** Ids of the stack's running services by role. */
export function services(stack: string): Record<string, string> {
  const filter = ["--filter", `label=event-pipeline.stack=${stack}`];
  const format = '{{.Label "event-pipeline.role"}}\t{{.ID}}';
  const lines = docker("ps", "--no-trunc", ...filter, "--format", format).split("\n");
  return Object.fromEntries(lines.filter((line) => line !== "").map((line) => line.split("\t")));
}

/** Everything labelled as the stack's, of whatever kind. */
export function belongings(stack: string): string[] {
  const filter = ["--quiet", "--filter", `label=event-pipeline.stack=${stack}`];
  return [
    docker("ps", "--all", ...filter),
    docker("volume", "ls", ...filter),
    docker("network", "ls", ...filter),
    docker("image", "ls", "--all", ...filter),
  ].filter((ids) => ids !== "");
}

/** Secrets of a stack that was up. */
export function readSecrets(stack: string): Record<string, string> {
  const { stdout } = run(ROOT, {}, ["secrets", "--json", "--stack", stack]);
  return JSON.parse(stdout);
}

/** Gives a stack a secret of the operator's own. */
export function setSecret(stack: string, name: string, value: string): void {
  const { status, stderr } = run(ROOT, {}, ["set-secret", "--stack", stack, name], value);
  if (status !== 0) throw new Error(stderr);
}

/** Pulumi itself on a stack, with the backend and passphrase of `make up`. */
export function pulumi(stack: string, ...args: readonly string[]): string {
  const folder = join(STATE, "stacks", stack);
  const config = join(folder, "project", `Pulumi.${stack}.yaml`);
  const options = ["--stack", stack, "--config-file", config, "--non-interactive"];
  const { status, stdout, stderr } = spawnSync(
    join(ROOT, "node_modules/.bin/pulumi"),
    [...args, ...options],
    {
      cwd: ROOT,
      encoding: "utf8",
      env: {
        ...operateEnvironment(),
        PULUMI_BACKEND_URL: `file://${join(STATE, "backend")}`,
        PULUMI_CONFIG_PASSPHRASE_FILE: join(folder, "passphrase"),
      },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`pulumi ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** All files that Pulumi wrote, as one text: states, former ones, history. */
export function recordedState(): string {
  const files = readdirSync(join(STATE, "backend"), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "utf8"))
    .join("\n");
}

/** A configuration of its own for one stack. Returns its path. */
export function writeConfig(name: string, text: string): string {
  const file = join(STATE, `${name}.yaml`);
  writeFileSync(file, text);
  return file;
}

/** A copy of the project in which one text of a file is replaced. Returns its folder. */
export function copyWith(file: string, text: string, replacement: string): string {
  const copy = join(STATE, "project");
  const listed = spawnSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).stdout;
  for (const path of listed.split("\0").filter((one) => existsSync(join(ROOT, one)))) {
    if (path !== "") cpSync(join(ROOT, path), join(copy, path));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const source = readFileSync(join(copy, file), "utf8");
  if (!source.includes(text)) throw new Error(`${file} has no ${text}`);
  writeFileSync(join(copy, file), source.replace(text, replacement));
  return copy;
}

/** Status of a query that a user of the database asks with a password. */
export async function login(user: string, password: string, port: number): Promise<number> {
  const headers = { connection: "close", "X-ClickHouse-User": user, "X-ClickHouse-Key": password };
  return (await fetch(`http://127.0.0.1:${port}/?query=SELECT+1`, { headers })).status;
}

/** On a connection of its own: one that is kept may lead to a container that is no longer there. */
export async function count(stack: string, table: string, port: number): Promise<number> {
  const response = await fetch(
    `http://127.0.0.1:${port}/?query=${encodeURIComponent(`SELECT count() FROM ${table}`)}`,
    {
      headers: {
        connection: "close",
        "X-ClickHouse-User": "default",
        "X-ClickHouse-Key": readSecrets(stack).databasePassword ?? "",
      },
    },
  );
  return Number(await response.text());
}
