import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { callable } from "../contract/command-call.ts";
import { EXAMPLES } from "./examples.ts";
import { commandModules, groupOf, modulesFor } from "./modules.ts";

export async function createProgram(command: string): Promise<Command> {
  const program = new Command("pipeline")
    .description("Operate the event pipeline: schema, data, batch process, reconciliation, demo.")
    .version(versionOf(), "-V, --version", "print the version")
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false });
  for (const load of modulesFor(command, commandModules)) (await load())(program);
  for (const one of program.commands) {
    one.helpGroup(`${groupOf(one.name())}:`);
    addExamples(one, one.name());
  }
  hintAtHelp(program, "pipeline");
  return program;
}

function addExamples(command: Command, path: string): void {
  const example = EXAMPLES[path];
  if (example) command.addHelpText("after", callable(`\nExample: pipeline ${example}`));
  for (const one of command.commands) addExamples(one, `${path} ${one.name()}`);
}

/** Gives errors of arguments the shape of all other errors. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(callable(`  hint: run ${path} --help`));
  for (const one of command.commands) hintAtHelp(one, `${path} ${one.name()}`);
}

/** Returns the version; an image has no package.json. */
function versionOf(): string {
  try {
    const text = readFileSync(join(import.meta.dirname, "../package.json"), "utf8");
    return (JSON.parse(text) as { version?: string }).version ?? "unknown";
  } catch {
    return "unknown";
  }
}
