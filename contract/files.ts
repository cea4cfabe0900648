import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UserError } from "./errors.ts";

/**
 * Creates a folder and its parents, one after another. Node's recursive mkdir never returns where the
 * system creates nothing and answers ENOENT, as in /proc.
 * @throws the system's error for the first folder that cannot be created
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  if (isFolder(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

/**
 * Checks before a long run that `file` can be written at its end; creates its folder.
 * @throws UserError that names `subject`, such as `--report x.html`, and the reason
 */
export function requireWritable(file: string, subject = file): void {
  try {
    makeFolder(dirname(file));
    const target = targetOf(file);
    if (isSpecial(target)) return;
    const partial = partialOf(target);
    writeFileSync(partial, "");
    rmSync(partial);
  } catch (error) {
    throw fileFailure(error, subject) ?? error;
  }
}

/**
 * Writes `content` beside `file` and renames it: readers never see half a file.
 * @throws UserError that names `subject`, such as `--report x.html`, and the reason; a previous file is then unchanged
 */
export function writeWhole(file: string, content: string, subject = file): void {
  const target = targetOf(file);
  try {
    const partial = isSpecial(target) ? target : partialOf(target);
    try {
      writeFileSync(partial, content);
      if (partial !== target) renameSync(partial, target);
    } catch (error) {
      if (partial !== target) rmSync(partial, { force: true });
      throw error;
    }
  } catch (error) {
    throw fileFailure(error, subject) ?? error;
  }
}

interface Reason {
  readonly what: string;
  readonly hint: string;
}

const OTHER = "name another path";
const FULL = { what: "the disk is full", hint: "free some space, then run the command again" };
const FILE = { what: "a file is where a folder is needed", hint: OTHER };

const REASONS: Readonly<Record<string, Reason>> = {
  EACCES: { what: "this user has no permission", hint: `${OTHER}, or change its permissions` },
  EPERM: { what: "the system does not permit it", hint: OTHER },
  EROFS: { what: "the file system is read-only", hint: OTHER },
  ENOSPC: FULL,
  EDQUOT: { ...FULL, what: "the disk quota is used up" },
  EEXIST: FILE,
  ENOTDIR: FILE,
  EISDIR: { what: "it is a folder, and a file is needed", hint: OTHER },
  ENOENT: { what: "it does not exist and cannot be created there", hint: OTHER },
  ENAMETOOLONG: { what: "the name is too long", hint: OTHER },
  ELOOP: { what: "its symbolic links form a loop", hint: OTHER },
};

/**
 * An error of the file system in words, with the next step; undefined for any other error.
 * @param subject what failed, as `--report x.html`; the path of the error where it is not given
 */
export function fileFailure(error: unknown, subject?: string): UserError | undefined {
  const { code = "", path } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = REASONS[code];
  if (reason === undefined) return undefined;
  const name = subject ?? path;
  return new UserError(`${name ? `${name}: ` : ""}${reason.what} (${code}).`, reason.hint);
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** A device or a pipe is written directly: a rename would replace it. */
function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw Object.assign(new Error(path), { code: "EISDIR", path });
  return found !== undefined && !found.isFile();
}

/** The file itself where `file` is a symbolic link. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

const partialOf = (target: string): string => `${target}.${process.pid}.partial`;

/** Writes a file that only this user may read; readers never see half of it. */
export function writePrivate(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}
