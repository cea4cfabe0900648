import type { Command } from "commander";
import { openDatabase } from "../warehouse/database/open.ts";
import { reloadDatabase } from "../warehouse/epochs/consumption.ts";

/** A hidden command, which the stack runs after it has changed the server's files. */
export function registerReloadDatabase(program: Command): void {
  program
    .command("reload-database", { hidden: true })
    .option("--reopen", "reconnect to the broker after its address or password changed")
    .action(async ({ reopen = false }: { reopen?: boolean }) => {
      const db = await openDatabase(process.env.CLICKHOUSE_URL ?? "");
      try {
        await reloadDatabase(db, reopen);
      } finally {
        await db.close();
      }
    });
}
