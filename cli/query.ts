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
    .description("Print the answer of a SELECT")
    .argument("<sql>", "a statement that only reads", nonEmpty)
    .addOption(databaseOption())
    .option(
      "--format <name>",
      "a format of ClickHouse: PrettyCompact, CSVWithNames, JSONEachRow, Vertical, Parquet, …",
      nonEmpty,
      "PrettyCompact",
    )
    .action(async (sql: string, options: QueryOptions) => {
      process.stdout.write(await withDatabase(options, (db) => answer(db, sql, options.format)));
    });
}

/** An unknown table is more often mistyped than missing. */
async function answer(db: ReadableDatabase, sql: string, format: string): Promise<Buffer> {
  try {
    return await db.read(sql, format);
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === UNKNOWN_TABLE)) throw error;
    const list = "SHOW TABLES FROM dm";
    throw new UserError(
      error.message,
      commandOn(db, `query "${list}"`, `make query SQL="${list}"`),
    );
  }
}
