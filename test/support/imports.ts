import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

export interface Import {
  readonly file: string;
  readonly target: string;
  /** `import type` has no effect at run time. */
  readonly isErased: boolean;
}

/** Returns all imports of a folder's programs. */
export const importsOf = (folder: string): Import[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      const found = readFileSync(file, "utf8").matchAll(
        /(?:import (type )?[^;()"]*?from|export [^;"]*?from|import\(|import) ?"([^"]+)"/g,
      );
      return [...found].map(([, erased, target = ""]) => ({
        file: relative(ROOT, file),
        target,
        isErased: erased !== undefined,
      }));
    });

export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Project files that a file imports at run time, by path. */
export function importGraph(folders: readonly string[]): ImportGraph {
  const all = folders
    .flatMap(importsOf)
    .filter(({ target, isErased }) => target.startsWith(".") && !isErased);
  const files = Map.groupBy(all, ({ file }) => file);
  return new Map(
    [...files].map(([file, found]) => [
      file,
      found.map(({ target }) => relative(ROOT, resolve(ROOT, dirname(file), target))),
    ]),
  );
}

/** Returns a file and all that it imports, directly or through others. */
export function importedFrom(graph: ImportGraph, file: string): Set<string> {
  const found = new Set([file]);
  // A set's iteration includes the entries that it adds.
  for (const one of found) for (const target of graph.get(one) ?? []) found.add(target);
  return found;
}
