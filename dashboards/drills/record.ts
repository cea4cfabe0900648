import { existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";

const recordSchema = z.object({
  pid: z.int(),
  stopped: z.array(z.string()),
});

export interface DrillRecord {
  /** Rules that the previous run did not drill; null without an interrupted run. */
  readonly rest: readonly string[] | null;
  close(): void;
}

/** Locks drills: a second process would remove the samples. @throws UserError while one runs */
export function lockDrills(stack: string, folder: string, stopped: readonly string[]): DrillRecord {
  const file = join(folder, "drills.json");
  const close = () => rmSync(file, { force: true });
  if (create(file, stopped)) return { rest: null, close };
  const previous = read(file);
  if (previous && isAlive(previous.pid)) refuse(stack, file, previous.pid);
  // If two processes find the record of an ended run, the first to rename it continues.
  const moved = `${file}.${process.pid}`;
  const taken = previous && move(file, moved) ? read(moved) : null;
  if (taken && taken.pid !== previous?.pid) {
    move(moved, file);
    refuse(stack, file, taken.pid);
  }
  // The record keeps the rest of the previous run, in case this run is also killed.
  const rest = taken?.stopped ?? null;
  const isMine = create(file, [...new Set([...stopped, ...(rest ?? [])])]);
  rmSync(moved, { force: true });
  if (!isMine) refuse(stack, file, read(file)?.pid ?? null);
  return { rest, close };
}

function refuse(stack: string, file: string, pid: number | null): never {
  throw new UserError(
    `Drills of the stack ${stack} are already running (process ${pid ?? "unknown"})`,
    `wait until they end; if that process is no drill, run rm ${file}`,
  );
}

/** Reads the record; null if the run has ended meanwhile. */
const read = (file: string): z.infer<typeof recordSchema> | null =>
  existsSync(file) ? recordSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : null;

/** Creates the record as a link to a draft, because only a link is created atomically. */
function create(file: string, stopped: readonly string[]): boolean {
  const draft = `${file}.draft.${process.pid}`;
  writePrivate(draft, JSON.stringify({ pid: process.pid, stopped }));
  try {
    return isDone("EEXIST", () => linkSync(draft, file));
  } finally {
    rmSync(draft, { force: true });
  }
}

const move = (from: string, to: string): boolean => isDone("ENOENT", () => renameSync(from, to));

function isDone(otherwise: string, act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === otherwise) return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
