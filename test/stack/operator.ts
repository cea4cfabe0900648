import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const CHECKOUT = join(import.meta.dirname, "../..");

/** A copy of the project with a state of its own: nothing of the checkout or its stacks is touched. */
export const ROOT = copyProject();
const STATE = join(ROOT, ".state");
export const forgetState = (): void => rmSync(ROOT, { recursive: true, force: true });

/** Also what is not committed yet: that is what a test is run for. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), "stack-level-"));
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = spawnSync("git", list, { cwd: CHECKOUT, encoding: "utf8" });
  for (const path of stdout.split("\0")) {
    if (path !== "" && existsSync(join(CHECKOUT, path))) {
      cpSync(join(CHECKOUT, path), join(copy, path));
    }
  }
  symlinkSync(join(CHECKOUT, "node_modules"), join(copy, "node_modules"));
  mkdirSync(join(copy, ".state/backend"), { recursive: true });
  return copy;
}

interface Result {
  readonly code: number;
  readonly text: string;
}

/** Environment of a program that works on this state. */
export const operateEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  EVENT_PIPELINE_STATE: STATE,
  // Not the one the user is logged in to.
  PULUMI_BACKEND_URL: `file://${join(STATE, "backend")}`,
});

/** What an operator types: `pipeline stack …`, with everything it printed. */
export const operate = (stack: string, command: string, ...args: readonly string[]): Result =>
  operateIn({}, stack, command, ...args);

/** The same from a shell that has variables set. */
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

/** Runs `pipeline stack …`; what it prints is not shown to the operator. */
const run = (environment: Readonly<Record<string, string>>, args: readonly string[]) =>
  spawnSync(process.execPath, [join(ROOT, "cli/main.ts"), "stack", ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...operateEnvironment(), ...environment },
    maxBuffer: 64 * 1024 * 1024,
  });

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

const LISTINGS = {
  container: ["ps", "--all"],
  volume: ["volume", "ls"],
  network: ["network", "ls"],
  image: ["image", "ls", "--all"],
} as const;
type Kind = keyof typeof LISTINGS;

/** Ids of what is labelled as the stack's. */
export function belongings(
  stack: string,
  kinds: readonly Kind[] = Object.keys(LISTINGS) as Kind[],
): string[] {
  const filter = ["--quiet", "--filter", `label=event-pipeline.stack=${stack}`];
  return kinds.map((kind) => docker(...LISTINGS[kind], ...filter)).filter((ids) => ids !== "");
}

/** Secrets of a stack that was up. */
export function readSecrets(stack: string): Record<string, string> {
  const { stdout } = run({}, ["secrets", "--json", "--stack", stack]);
  return JSON.parse(stdout);
}

/** Gives a stack a secret of the operator's own. */
export const setSecret = (stack: string, name: string, value: string): string =>
  pulumi(stack, "config", "set", "--secret", `event-pipeline:${name}`, value);

/** What `make env` exports for a stack. */
export const pulumiEnvironment = (stack: string): NodeJS.ProcessEnv => ({
  ...operateEnvironment(),
  PATH: [join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter),
  PULUMI_CONFIG_PASSPHRASE_FILE: join(STATE, "stacks", stack, "passphrase"),
});

/** Plain `pulumi` on a stack of `make up`. */
export function pulumi(stack: string, ...args: readonly string[]): string {
  const options = ["--stack", stack, "--non-interactive"];
  const { status, stdout, stderr } = spawnSync(
    join(ROOT, "node_modules/.bin/pulumi"),
    [...args, ...options],
    {
      cwd: ROOT,
      encoding: "utf8",
      env: pulumiEnvironment(stack),
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

/** Writes a file of the copy, and returns what puts back what was there. */
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
