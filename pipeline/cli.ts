#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { Command } from "commander";
import { commandModules, modulesFor } from "./commands/modules.ts";
import { reportFailure } from "./terminal/failure.ts";
import { explainMissingPart, isMissingPart } from "./terminal/missing-part.ts";

// Types are stripped and code is compiled once, not at every start: a third of a second of each.
enableCompileCache();

const program = new Command("pipeline")
  .description("Operates the event pipeline: schema, data, batch process, ledger, demo.")
  .showHelpAfterError("(pipeline --help shows the commands)")
  .helpCommand(false)
  .configureHelp({ sortSubcommands: false });

try {
  for (const load of modulesFor(process.argv[2], commandModules)) (await load())(program);
  await program.parseAsync();
} catch (error) {
  const command = process.argv[2] ?? "";
  process.exitCode = reportFailure(
    isMissingPart(error) ? explainMissingPart(error, command) : error,
  );
}
