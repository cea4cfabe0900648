import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { quote } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import { fileFailure, makeFolder, writeWhole } from "../../contract/files.ts";

export const stateRoot = (): string =>
  process.env.EVENT_PIPELINE_STATE ?? join(import.meta.dirname, "../../.state");

/** Folder of the snapshots of all workspaces, which outlive them. */
export const snapshotsRoot = (): string => resolve(stateRoot(), "snapshots");

/** File with the path of the last used workspace. */
export const lastWorkspaceFile = (): string => join(stateRoot(), "workspace");

/** Returns the directory that a command last wrote to, if it still exists. */
export function lastWorkspace(): string {
  const file = lastWorkspaceFile();
  const last = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return last !== "" && holdsData(last) ? last : join(stateRoot(), "data");
}

export function rememberWorkspace(directory: string): void {
  const absolute = resolve(directory);
  if (absolute === lastWorkspace()) return;
  makeFolder(stateRoot());
  writeWhole(lastWorkspaceFile(), `${absolute}\n`);
}

/** Refuses a missing workspace, so that a read-only command creates none. @throws UserError */
export function requireWorkspace(directory: string): void {
  if (holdsData(directory)) return;
  if (statSync(directory, { throwIfNoEntry: false })?.isFile()) {
    throw fileFailure({ code: "ENOTDIR" }, `--database ${directory}`);
  }
  throw new UserError(
    `${directory} has no data yet`,
    `run pipeline demo to generate a history, or pipeline data --database ${quote(directory)} to load a dataset`,
  );
}

/** True if the engine has ever opened the directory. */
export const holdsData = (directory: string): boolean => existsSync(join(directory, "metadata"));

/** Returns a path for a message: relative if it is below the current folder. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") ? path : short;
}

export const isServer = (target: string): boolean => /^https?:/.test(target);
