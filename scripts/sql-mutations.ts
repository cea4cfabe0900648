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

/** Outcome of a mutation. `refused`: the engine rejects the SQL. */
export type Outcome = "killed" | "survived" | "refused" | "timed out";

export interface TestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    /** Reason why the whole file failed, for example in a hook. */
    readonly message: string;
    readonly assertionResults: readonly { status: string; failureMessages: readonly string[] }[];
  }[];
}

const TIMED_OUT = /\b(Test|Hook) timed out in \d+ms/;
const REFUSED = /DatabaseError|Code: \d+\./;

/** Returns `killed` if a test fails for a reason other than refusal or timeout. */
export function outcomeFrom({ success, testResults }: TestReport): Outcome {
  if (success) return "survived";
  const failures = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed")
    .map(({ failureMessages }) => failureMessages.join("\n"));
  if (failures.some((text) => !TIMED_OUT.test(text) && !REFUSED.test(text))) return "killed";
  const all = [...failures, ...testResults.map(({ message }) => message)];
  return all.some((text) => TIMED_OUT.test(text)) ? "timed out" : "refused";
}
