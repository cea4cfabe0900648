import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

export interface Mutation {
  readonly file: string;
  /** Text that occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly breaks: string;
}

const schema = z.record(z.string(), z.array(z.tuple([z.string(), z.string(), z.string()])).min(1));

export function readMutations(): Mutation[] {
  const text = readFileSync(join(import.meta.dirname, "sql-mutations.yaml"), "utf8");
  return Object.entries(schema.parse(parse(text))).flatMap(([file, lines]) =>
    lines.map(([find, replace, breaks]) => ({ file, find, replace, breaks })),
  );
}

export function applyMutation(sql: string, { file, find, replace }: Mutation): string {
  const found = sql.split(find).length - 1;
  if (found !== 1)
    throw new Error(`sql/${file} contains the text ${found} times; it must occur once: ${find}`);
  return sql.replace(find, () => replace);
}
