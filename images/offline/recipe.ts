import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");
export const HERE = import.meta.dirname;

export interface Recipe {
  readonly tag: string;
  readonly folder: string;
  readonly base: string | null;
  readonly inputs: readonly string[];
  prepare(context: string): void;
  readonly differs: string;
}

/** Returns a digest of all inputs: files, base and version. */
export function recipeDigest(recipe: Recipe, baseDigest: string): string {
  const hash = createHash("sha256").update(`${recipe.tag}\0${baseDigest}\0`);
  for (const file of [join(HERE, recipe.folder), ...recipe.inputs.map((path) => join(ROOT, path))]
    .flatMap(filesUnder)
    .sort()) {
    hash
      .update(`${file.slice(ROOT.length)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

function filesUnder(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
