import { type Command, Option } from "commander";
import type { Database } from "../contract/ports.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { clickOfSession, followClick, interestingClick } from "../warehouse/follow/follow.ts";
import { renderTrace } from "../warehouse/follow/render.ts";
import { type DatabaseOption, databaseOption, jsonOption, withDatabase } from "./options.ts";

interface FollowOptions extends DatabaseOption {
  readonly click?: string;
  readonly session?: string;
}

export function registerFollow(program: Command): void {
  program
    .command("follow")
    .description("Trace one session through every layer, with load times")
    .option("--click <id>", "click_id of the session; default: an interesting session")
    .addOption(
      new Option("--session <id>", "id of a session in an imported file").conflicts("click"),
    )
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(async (options: FollowOptions) => {
      const trace = await withDatabase(options, async (db) =>
        followClick(db, await clickOf(db, options)),
      );
      if (options.json) printJson(trace);
      else printLine(renderTrace(trace));
    });
}

async function clickOf(db: Database, { click, session }: FollowOptions): Promise<string> {
  if (session !== undefined) return clickOfSession(db, session);
  return click ?? interestingClick(db);
}
