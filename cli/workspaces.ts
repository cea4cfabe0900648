import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { quote } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import { requireConsent } from "../terminal/confirm.ts";
import { type Cells, renderTable } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { filledTables } from "../warehouse/batch/clear-layers.ts";
import { openDatabase } from "../warehouse/database/open.ts";
import { holdRunningEngine } from "../warehouse/engine/engine.ts";
import {
  holdsData,
  lastWorkspace,
  rememberWorkspace,
  shortPath,
  stateRoot,
} from "../warehouse/engine/workspace.ts";
import { readAllSources } from "../warehouse/sources/stored.ts";
import { nonEmpty } from "./options.ts";

export function registerWorkspaces(program: Command): void {
  const workspaces = program
    .command("workspaces")
    .description("List the workspaces, choose one, or delete some")
    .action(list);
  workspaces
    .command("use")
    .argument("<name>", "name in the list, or a directory", nonEmpty)
    .description("Set the workspace for commands without --database, until one writes elsewhere")
    .action(use);
  workspaces
    .command("delete")
    .argument("<name...>", "names in the list")
    .option("--yes", "do not ask; same as YES=1")
    .description("Delete workspaces with all their data")
    .action(remove);
}

const ownFolder = (): string => resolve(stateRoot());

/** Returns the directories with data in the folder of the workspaces, and the last used one. */
function directories(): string[] {
  const names = existsSync(ownFolder()) ? readdirSync(ownFolder()).toSorted() : [];
  const found = names.map((name) => join(ownFolder(), name));
  return [...new Set([...found, lastWorkspace()])].filter(holdsData);
}

const isOwn = (directory: string): boolean => dirname(directory) === ownFolder();

async function list(): Promise<void> {
  const rows: Cells[] = [];
  for (const directory of directories()) rows.push(await rowOf(directory));
  if (rows.length === 0) return printLine("There is no workspace yet. make demo creates one.");
  printLine(`In ${shortPath(ownFolder())}; * is the one that commands without --database use`);
  printLine(renderTable(["", "workspace", "events", "size", "last load (UTC)", "data"], rows));
}

async function rowOf(directory: string): Promise<Cells> {
  const mark = directory === lastWorkspace() ? "*" : "";
  const name = isOwn(directory) ? basename(directory) : directory;
  try {
    return [mark, name, ...(await contentOf(directory))];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`warning: ${name} cannot be read: ${error.message}\n`);
    return [mark, name, "", "", "", "cannot be read"];
  }
}

/** Returns events, size, time of the last load and sources; tables may be missing. */
async function contentOf(directory: string): Promise<Cells> {
  const db = await openDatabase(directory);
  try {
    const [stored] = await db.rows<Stored>(STORED);
    const content = [Number(stored?.events), stored?.size ?? ""];
    if (!(await filledTables(db)).includes("stg.manifest")) return [...content, "", "nothing"];
    const [last] = await db.rows<{ load: string }>(LAST_LOAD);
    const sources = [...(await readAllSources(db)).values()].flat();
    const names = new Set(sources.map(({ name, imported }) => imported?.name ?? name));
    return [...content, last?.load ?? "", [...names].join(", ")];
  } finally {
    await db.close();
  }
}

interface Stored {
  readonly events: number;
  readonly size: string;
}

const STORED = `
  SELECT sumIf(rows, database = 'dds' AND table = 'event') AS events,
    formatReadableDecimalSize(sum(bytes_on_disk)) AS size
  FROM system.parts
  WHERE active AND database IN ('stg', 'ods', 'dds', 'dm', 'dm_internal')`;

const LAST_LOAD = "SELECT formatDateTime(max(stored_at), '%F %R', 'UTC') AS load FROM stg.manifest";

function use(name: string): void {
  const directory = find(name);
  rememberWorkspace(directory);
  printLine(`Commands without --database use ${shortPath(directory)}`);
}

/** @throws UserError if there is no such workspace */
function find(name: string): string {
  const found = [join(ownFolder(), name), resolve(name)].find(holdsData);
  if (found !== undefined) return found;
  throw new UserError(`There is no workspace ${name}`, "run `pipeline workspaces` to list them");
}

async function remove(names: readonly string[], { yes }: { yes?: true }): Promise<void> {
  const found = [...new Set(names.map((name) => resolve(find(name))))];
  for (const directory of found) await requireDeletable(directory);
  const again = `run \`pipeline workspaces delete ${names.map(quote).join(" ")} --yes\` to delete`;
  const refusal = new UserError("Nothing was deleted", again);
  await requireConsent(yes, `Delete ${names.join(", ")} with all data?`, refusal);
  for (const directory of found) {
    rmSync(directory, { recursive: true });
    printLine(`Deleted ${shortPath(directory)}`);
  }
}

/** Refuses a folder that may have other files, and data in use. @throws UserError */
async function requireDeletable(directory: string): Promise<void> {
  if (!isOwn(directory)) {
    throw new UserError(
      `${directory} is not in ${shortPath(ownFolder())}. Nothing was deleted`,
      `rm -r ${quote(directory)} deletes the folder with all its files`,
    );
  }
  const engine = await holdRunningEngine(directory);
  if (engine === undefined) return;
  await engine.release();
  throw new UserError(
    `Another command uses the workspace ${basename(directory)}. Nothing was deleted`,
    "end it, such as make play with Ctrl+C, then retry",
  );
}
