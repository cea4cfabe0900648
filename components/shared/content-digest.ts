import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./state.ts";

/** Content that a command writes, by resource; the command runs again when one of the files changes. */
export const DIGESTED = {
  topics: ["contract/topics.ts", "contract/streams.ts"],
  // The tables' comments come from the contract.
  schema: ["sql/ddl", "sql/schema.json", "contract"],
  "bi-assets": ["superset", "contract", "sql/schema.json"],
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

/** Lists files, sorted because file systems differ in their order. */
function filesOf(path: string): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}
