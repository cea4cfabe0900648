import type { Command } from "commander";
import { printJson, printLine } from "../terminal/print.ts";
import { followClick, interestingClick } from "../warehouse/follow/follow.ts";
import { renderTrace } from "../warehouse/follow/render.ts";
import { type DatabaseOption, databaseOption, jsonOption, withDatabase } from "./options.ts";

interface FollowOptions extends DatabaseOption {
  readonly click?: string;
  readonly json?: true;
}

export function registerFollow(program: Command): void {
  program
    .command("follow")
    .description("Trace one session through every layer, with load times")
    .option("--click <id>", "click_id of the session; default: an interesting session")
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(async (options: FollowOptions) => {
      const trace = await withDatabase(options, async (db) =>
        followClick(db, options.click ?? (await interestingClick(db))),
      );
      if (options.json) printJson(trace);
      else printLine(renderTrace(trace));
    });
}
