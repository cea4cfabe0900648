import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { SQL_ROOT } from "../warehouse/sql.ts";
import { applyEdit, editsOf } from "./sql-operators.ts";

export interface Mutation {
  readonly file: string;
  readonly breaks: string;
  /** Changed text of the file. */
  readonly sql: string;
}

const schema = z.record(z.string(), z.array(z.tuple([z.string(), z.string(), z.string()])).min(1));

/** Changes that scripts/sql-mutations.yaml lists, and those that operators make. */
export const allMutations = (): Mutation[] => [...listedMutations(), ...generatedMutations()];

export function listedMutations(): Mutation[] {
  const text = readFileSync(join(import.meta.dirname, "sql-mutations.yaml"), "utf8");
  return Object.entries(schema.parse(parse(text))).flatMap(([file, lines]) => {
    const sql = readSql(file);
    return lines.map(([find, replace, breaks]) => {
      const found = sql.split(find).length - 1;
      if (found !== 1) {
        throw new Error(
          `sql/${file} contains the text ${found} times; it must occur once: ${find}`,
        );
      }
      return { file, breaks, sql: sql.replace(find, () => replace) };
    });
  });
}

export function generatedMutations(): Mutation[] {
  const files = readdirSync(SQL_ROOT, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .flatMap((file) => {
      const sql = readSql(file);
      return editsOf(sql, file.startsWith("ddl/")).map((edit) => ({
        file,
        breaks: `line ${sql.slice(0, edit.start).split("\n").length}: ${brief(sql.slice(edit.start, edit.end))} → ${brief(edit.text)}`,
        sql: applyEdit(sql, edit),
      }));
    });
}

const readSql = (file: string): string => readFileSync(join(SQL_ROOT, file), "utf8");

const brief = (text: string): string =>
  text === "" ? "nothing" : text.replaceAll(/\s+/g, " ").slice(0, 100);

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
