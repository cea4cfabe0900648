#!/usr/bin/env node
import { Command } from "commander";
import { commandModules, modulesFor } from "./commands/modules.ts";
import { reportFailure } from "./terminal/failure.ts";

const program = new Command("pipeline")
  .description("Operates the event pipeline: schema, data, batch process, ledger, demo.")
  .showHelpAfterError("(pipeline --help shows the commands)")
  .helpCommand(false)
  .configureHelp({ sortSubcommands: false });

try {
  for (const load of modulesFor(process.argv[2], commandModules)) (await load())(program);
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}
