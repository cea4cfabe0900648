import type { Command } from "commander";
import { followClick, interestingClick } from "../warehouse/follow/follow.ts";
import { renderTrace } from "../warehouse/follow/render.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  printJson,
  printLine,
  withDatabase,
} from "./options.ts";

interface FollowOptions extends DatabaseOption {
  readonly click?: string;
  readonly json?: true;
}

export function registerFollow(program: Command): void {
  program
    .command("follow")
    .description("Show everything known of one visit in every layer, and when it got there")
    .option("--click <id>", "click_id of the visit; without it a visit worth looking at is picked")
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
