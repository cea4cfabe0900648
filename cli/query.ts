import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { callable } from "../contract/command-call.ts";
import { DatabaseError, UserError } from "../contract/errors.ts";
import { readFailure } from "../contract/files.ts";
import type { ReadableDatabase } from "../contract/ports.ts";
import { printResult } from "../terminal/print.ts";
import { filledTables } from "../warehouse/batch/clear-layers.ts";
import { hintToRun } from "../warehouse/database/command.ts";
import { UNKNOWN_TABLE } from "../warehouse/database/missing-schema.ts";
import { explainError } from "../warehouse/engine/page/errors.js";
import { lagsOf, readProgress } from "../warehouse/reconciliation/progress.ts";
import { hintToLoad } from "../warehouse/reconciliation/waiting-rows.ts";
import { isUnfinishedLoad } from "../warehouse/sources/source.ts";
import { readAllSources } from "../warehouse/sources/stored.ts";
import {
  type DatabaseOption,
  databaseOption,
  formatOption,
  nonEmpty,
  withDatabase,
} from "./options.ts";

interface QueryOptions extends DatabaseOption {
  readonly format: string;
}

export function registerQuery(program: Command): void {
  program
    .command("query")
    .description("Print the result of a SELECT")
    .argument("<sql>", "a statement that only reads, or a file NAME.sql with one", nonEmpty)
    .addOption(databaseOption())
    .addOption(formatOption())
    .action(async (statement: string, options: QueryOptions) => {
      const sql =
        /^\S+\.sql$/.test(statement) || existsSync(statement)
          ? readStatement(statement)
          : statement;
      const work = async (db: ReadableDatabase) => {
        if (db.directory !== undefined) await warnOfIncomplete(db);
        return answer(db, sql, options.format);
      };
      printResult(await withDatabase(options, work));
    });
}

function readStatement(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw readFailure(error, file) ?? error;
  }
}

async function warnOfIncomplete(db: ReadableDatabase): Promise<void> {
  const warning = await incompleteWarning(db);
  if (warning !== null) process.stderr.write(`${callable(warning)}\n`);
}

async function answer(db: ReadableDatabase, sql: string, format: string): Promise<Buffer> {
  try {
    return await db.read(sql, format);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { message } = explainError(error.message, { document: sql, from: 0, to: sql.length });
    throw new UserError(`The database refused the statement: ${message}`, hintFor(error, db));
  }
}

/** Suggests a list of names, because names are more often mistyped than missing. */
function hintFor({ code }: DatabaseError, db: ReadableDatabase): string {
  const list = LISTS.get(code);
  return list === undefined
    ? "correct the statement; docs/reference/tables.md lists tables and columns"
    : hintToRun(db, `query "${list}"`, `make query SQL="${list}"`);
}

const UNKNOWN_COLUMN = 47;

const LISTS: ReadonlyMap<number | undefined, string> = new Map([
  [UNKNOWN_TABLE, "SHOW TABLES FROM dm"],
  [UNKNOWN_COLUMN, "SELECT table, name, comment FROM system.columns WHERE database = 'dm'"],
]);

/** Returns a warning if the marts cannot hold what was loaded, such as after Ctrl+C; else null. */
export async function incompleteWarning(db: ReadableDatabase): Promise<string | null> {
  const filled = await filledTables(db);
  if (!filled.some((name) => /^(stg|dm)\./.test(name))) return null;
  const stored = [...(await readAllSources(db))];
  const unfinished = stored.at(-1)?.[1].find(isUnfinishedLoad);
  if (unfinished) {
    return `warning: the load "${unfinished.name}" was interrupted. hint: ${hintToRun(db, "prove")} to see what is missing`;
  }
  if (!filled.some((name) => name.startsWith("dm."))) {
    return `warning: the marts are empty. hint: ${hintToRun(db, "transform")}`;
  }
  const [lag] = lagsOf(await readProgress(db));
  if (lag === undefined) return null;
  return `warning: the marts may lack data: ${lag.reason}. hint: ${hintToLoad(db)}`;
}
