import type { Command } from "commander";
import { DatabaseError, UserError } from "../contract/errors.ts";
import type { ReadableDatabase } from "../contract/ports.ts";
import { commandOn } from "../warehouse/database/command.ts";
import { UNKNOWN_TABLE } from "../warehouse/schema/missing.ts";
import { type DatabaseOption, databaseOption, nonEmpty, withDatabase } from "./options.ts";

interface QueryOptions extends DatabaseOption {
  readonly format: string;
}

export function registerQuery(program: Command): void {
  program
    .command("query")
    .description("Print the result of a SELECT")
    .argument("<sql>", "a statement that only reads", nonEmpty)
    .addOption(databaseOption())
    .option(
      "--format <name>",
      "a ClickHouse format: PrettyCompact, CSVWithNames, JSONEachRow, Vertical, Parquet, …",
      nonEmpty,
      "PrettyCompact",
    )
    .action(async (sql: string, options: QueryOptions) => {
      process.stdout.write(await withDatabase(options, (db) => answer(db, sql, options.format)));
    });
}

async function answer(db: ReadableDatabase, sql: string, format: string): Promise<Buffer> {
  try {
    return await db.read(sql, format);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new UserError(`the database refused a statement: ${error.message}`, hintFor(error, db));
  }
}

/** Names are more often mistyped than missing. */
function hintFor({ code }: DatabaseError, db: ReadableDatabase): string {
  const list = LISTS.get(code);
  return list === undefined
    ? "correct the statement; docs/reference/tables.md has tables and columns"
    : commandOn(db, `query "${list}"`, `make query SQL="${list}"`);
}

const UNKNOWN_COLUMN = 47;

const LISTS: ReadonlyMap<number | undefined, string> = new Map([
  [UNKNOWN_TABLE, "SHOW TABLES FROM dm"],
  [UNKNOWN_COLUMN, "SELECT table, name, comment FROM system.columns WHERE database = 'dm'"],
]);
