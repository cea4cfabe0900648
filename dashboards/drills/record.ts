import { existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";

const recordSchema = z.object({
  pid: z.int(),
  /** Containers that the drills stop and start again. */
  stopped: z.array(z.string()),
});

export interface DrillRecord {
  /** What a run that was killed may have left stopped; null where none was. */
  readonly rest: readonly string[] | null;
  close(): void;
}

/**
 * Notes that this process runs drills: two at once would take back each other's values, and one that
 * was killed is healed by the next.
 * @param folder where the stack keeps its files
 * @param stopped containers its drills stop
 * @throws UserError while another process runs drills of the stack
 */
export function takeDrills(stack: string, folder: string, stopped: readonly string[]): DrillRecord {
  const file = join(folder, "drills.json");
  const close = () => rmSync(file, { force: true });
  if (create(file, stopped)) return { rest: null, close };
  const former = read(file);
  if (former && isAlive(former.pid)) refuse(stack, file, former.pid);
  // Of two that find the same dead one, the first to move it away goes on.
  const moved = `${file}.${process.pid}`;
  const taken = former && move(file, moved) ? read(moved) : null;
  if (taken && taken.pid !== former?.pid) {
    move(moved, file);
    refuse(stack, file, taken.pid);
  }
  // Killed before it has healed, this run would else hide what the former one left.
  const rest = taken?.stopped ?? null;
  const isMine = create(file, [...new Set([...stopped, ...(rest ?? [])])]);
  rmSync(moved, { force: true });
  if (!isMine) refuse(stack, file, read(file)?.pid ?? null);
  return { rest, close };
}

function refuse(stack: string, file: string, pid: number | null): never {
  throw new UserError(
    `Drills of the stack ${stack} run already (process ${pid ?? "unknown"}).`,
    `wait until they have ended; if that process is something else: rm ${file}`,
  );
}

/** Null where the run has ended meanwhile. */
const read = (file: string): z.infer<typeof recordSchema> | null =>
  existsSync(file) ? recordSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : null;

/** False where the record is there already. A link is made whole or not at all, a file is not. */
function create(file: string, stopped: readonly string[]): boolean {
  const draft = `${file}.draft.${process.pid}`;
  writePrivate(draft, JSON.stringify({ pid: process.pid, stopped }));
  try {
    return isDone("EEXIST", () => linkSync(draft, file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** False where somebody else has moved it. */
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
