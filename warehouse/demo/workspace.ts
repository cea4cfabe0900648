import { existsSync, readdirSync, statSync } from "node:fs";
import { quote } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import { DATABASES } from "../../contract/layers.ts";
import type { Database, ReadableDatabase } from "../../contract/ports.ts";
import { clearLayers, filledTables } from "../batch/clear-layers.ts";
import { commandOn } from "../database/command.ts";
import { openDatabase } from "../database/open.ts";
import { isServer, rememberWorkspace } from "../engine/workspace.ts";
import { applyDdl, applyLeases } from "../schema/ddl.ts";
import { sourceNames } from "../sources/stored.ts";

/** Longest wait for another command that writes, ms. */
const WAIT_MS = 5_000;

/**
 * Empties the workspace, unless another command is writing it, or it has data of another source.
 * @param command named by the hint if it has
 */
export async function openFresh(
  directory: string,
  source: string,
  command: string = source,
): Promise<ReadableDatabase> {
  refuseForeign(directory);
  const db = await openDatabase(directory);
  try {
    await requireNoOther(db, directory, source, command);
    rememberWorkspace(directory);
    // The record of the source goes last, so that a demo killed here can restart.
    await applyLeases(db);
    await clearLayers(db, { waitMs: WAIT_MS });
    for (const name of DATABASES.toReversed()) {
      await db.run(`DROP DATABASE IF EXISTS ${name} SYNC`);
    }
    await applyDdl(db, "all");
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Entries that the engine writes first; a kill during the start leaves only some of them. */
const EARLY: ReadonlySet<string> = new Set([
  "data",
  "dynamic_user_defined_executable_functions",
  "engine",
  "status",
  "store",
  "tmp",
]);

function refuseForeign(directory: string): void {
  if (isServer(directory)) {
    throw new UserError(
      `--database ${directory} is a server. Allowed: a directory`,
      "name an empty folder, or omit --database",
    );
  }
  const names =
    existsSync(directory) && statSync(directory).isDirectory() ? readdirSync(directory) : [];
  if (names.includes("metadata") || names.every((name) => EARLY.has(name))) return;
  throw new UserError(
    `--database ${directory} contains files of another program (${names.slice(0, 3).join(", ")})`,
    "name an empty folder, or omit --database",
  );
}

/** Refuses to delete data of another source. @throws UserError, before any change */
async function requireNoOther(
  db: Database,
  directory: string,
  source: string,
  command: string,
): Promise<void> {
  const filled = await filledTables(db);
  const sources = filled.includes("stg.manifest") ? await sourceNames(db) : [];
  const others = sources.filter((name) => name !== source);
  const isUnrecorded = sources.length === 0 && filled.includes("stg.raw");
  if (others.length === 0 && !isUnrecorded) return;
  const what = isUnrecorded ? "data of an unknown source" : `other data: ${list(others)}`;
  throw new UserError(
    `--database ${directory} contains ${what}. Nothing was deleted`,
    `${commandOn({ directory: unusedFolder(directory) }, command)} uses a new folder; rm -r ${quote(directory)} deletes all data in this one`,
  );
}

const SHOWN = 3;

const list = (names: readonly string[]): string =>
  names.slice(0, SHOWN).join(", ") +
  (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "");

function unusedFolder(directory: string): string {
  const base = directory.replace(/\/+$/, "");
  let number = 2;
  while (existsSync(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
