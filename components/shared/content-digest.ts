import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./state.ts";

/** Commands that run again when one of these files changes, by resource. */
export const DIGESTED = {
  topics: ["contract/topics.ts", "contract/streams.ts"],
  schema: ["sql/ddl"],
  "bi-assets": ["superset", "contract"],
} as const;

export function contentDigest(...paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesOf)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

/** Sorted, because the file system's order differs. */
function filesOf(path: string): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}
