import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { EXAMPLES } from "./examples.ts";
import { commandModules, modulesFor } from "./modules.ts";

export async function createProgram(command: string): Promise<Command> {
  const program = new Command("pipeline")
    .description("Operate the event pipeline: schema, data, batch process, ledger, demo.")
    .version(versionOf(), "-V, --version", "print the version")
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false });
  for (const load of modulesFor(command, commandModules)) (await load())(program);
  for (const one of program.commands) {
    const example = EXAMPLES[one.name()];
    if (example) one.addHelpText("after", `\nExample: npm run pipeline -- ${example}`);
  }
  hintAtHelp(program, "pipeline");
  return program;
}

/** Errors of arguments have the shape of all others. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`  hint: run ${path} --help`);
  for (const one of command.commands) hintAtHelp(one, `${path} ${one.name()}`);
}

/** An image has no package.json. */
function versionOf(): string {
  try {
    const text = readFileSync(join(import.meta.dirname, "../package.json"), "utf8");
    return (JSON.parse(text) as { version?: string }).version ?? "unknown";
  } catch {
    return "unknown";
  }
}
