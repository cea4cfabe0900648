import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UserError } from "./errors.ts";

/** Node's recursive mkdir never returns if the system answers ENOENT, as in /proc. @throws its error */
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

/** Checked before a long run. @throws UserError that names `subject`, such as `--report x.html` */
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

/** Readers never see half a file. @throws UserError naming `subject`; the file is unchanged then */
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

/** Undefined for other errors. @param subject such as `--report x.html` */
export function fileFailure(error: unknown, subject?: string): UserError | undefined {
  const { code = "", path } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = REASONS[code];
  if (reason === undefined) return undefined;
  const name = subject ?? path;
  return new UserError(`${name ? `${name}: ` : ""}${reason.what} (${code})`, reason.hint);
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** A rename would replace a device or pipe, so it is written directly. */
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

/** Writes a file with mode 0600; readers never see half of it. */
export function writePrivate(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}
