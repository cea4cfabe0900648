import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./state.ts";

const digestOf = (content: string): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 16);

/** Returns a digest of files and folders, which triggers the command that reads them. */
export function contentDigest(...paths: readonly string[]): string {
  const files = paths.flatMap(filesOf);
  return digestOf(files.map((file) => `${file}\0${readFileSync(join(ROOT, file))}\0`).join(""));
}

/** Returns a digest of each file of a folder, so that a preview names the changed ones. */
export const fileDigests = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(filesOf(folder).map((file) => [file, contentDigest(file)]));

/** Lists files, sorted because file systems differ in their order. */
function filesOf(path: string): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return (
    readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
      // Files that git ignores differ between checkouts.
      .filter((file) => !/(^|\/)(\.|__pycache__\/)/.test(file))
      .sort()
  );
}
