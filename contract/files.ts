import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UserError } from "./errors.ts";

/** Creates a folder and its parents. Node's recursive mkdir never returns in /proc. */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  if (isFolder(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!isFolder(folder)) throw error;
  }
}

/** Checks that a file can be written. @throws UserError that names `subject`, such as `--report x.html` */
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

/** Replaces a file atomically. @throws UserError that names `subject` */
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

const OTHER = "choose another path";
const FULL = { what: "the disk is full", hint: "free some space, then run the command again" };
const FILE = { what: "the path or a parent of the path is a file; allowed: a folder", hint: OTHER };

const REASONS: Readonly<Record<string, Reason>> = {
  EACCES: { what: "this user has no permission", hint: `${OTHER}, or change the permissions` },
  EPERM: { what: "the system does not permit it", hint: OTHER },
  EROFS: { what: "the file system is read-only", hint: OTHER },
  ENOSPC: FULL,
  EDQUOT: { ...FULL, what: "the disk quota is used up" },
  EEXIST: FILE,
  ENOTDIR: FILE,
  EISDIR: { what: "the path is a folder; allowed: a file", hint: OTHER },
  ENOENT: { what: "the path does not exist and cannot be created", hint: OTHER },
  ENAMETOOLONG: { what: "the name is too long", hint: OTHER },
  ELOOP: { what: "the symbolic links in the path form a loop", hint: OTHER },
};

/** Converts a file system error; undefined for other errors. @param subject such as `--report x.html` */
export function fileFailure(error: unknown, subject?: string): UserError | undefined {
  const { code = "", path } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = REASONS[code];
  if (reason === undefined) return undefined;
  const name = subject ?? path;
  return new UserError(`${name ? `${name}: ` : ""}${reason.what} (${code})`, reason.hint);
}

/** Converts an error of reading a file; undefined for other errors. */
export function readFailure(error: unknown, file: string): UserError | undefined {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  const list = `check the path: ls -l ${dirname(file)}`;
  if (code === "ENOENT" || code === "ENOTDIR")
    return new UserError(`There is no file ${file}`, list);
  if (code === "EISDIR") return new UserError(`${file} is a folder. Allowed: a file`, list);
  if (code !== "EACCES") return undefined;
  return new UserError(
    `This user has no permission to read ${file}`,
    `allow it: chmod u+r ${file}`,
  );
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** True for a device or pipe, which a rename would replace. */
function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw Object.assign(new Error(path), { code: "EISDIR", path });
  return found !== undefined && !found.isFile();
}

function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

const partialOf = (target: string): string => `${target}.${process.pid}.partial`;

/** Replaces a file atomically, with mode 0600. */
export function writePrivate(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}
