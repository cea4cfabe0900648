import { isAbsolute, join, relative } from "node:path";
import { Command } from "commander";
import { commandModules, modulesFor } from "../../cli/modules.ts";
import { code, tableText } from "./table.ts";

const ROOT = join(import.meta.dirname, "../..");

function sections(command: Command, parents: readonly string[]): string[] {
  const path = [...parents, command.name()];
  if (command.commands.length > 0) {
    return [
      `## ${path.join(" ")}\n\n${command.description()}`,
      ...command.commands.flatMap((sub) => sections(sub, path)),
    ];
  }
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const level = "#".repeat(path.length + 1);
  const options = command.options.filter((option) => !option.hidden);
  const rows = options.map(
    ({ flags, description, defaultValue, defaultValueDescription: text }) => [
      code(flags),
      description,
      text?.startsWith(".state/") ? code(text) : defaultText(defaultValue),
    ],
  );
  return [
    `${level} ${[...path, ...args].join(" ")}\n\n${command.description()}`,
    ...(rows.length > 0 ? [tableText({ head: ["option", "meaning", "default"], rows })] : []),
  ];
}

/** Returns a default value without the path of the checkout. */
function defaultText(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") return "";
  const path = relative(ROOT, `${value}`);
  if (!isAbsolute(`${value}`)) return code(value);
  return path.startsWith("data/") ? code(path) : "the last used workspace";
}

export async function commandLinePage(): Promise<string> {
  const program = new Command();
  for (const load of modulesFor(undefined, commandModules)) (await load())(program);
  return [
    "# Command line",
    "`npm run pipeline -- COMMAND` in a checkout. `make help` lists the targets that call these commands.",
    ...program.commands.flatMap((command) => sections(command, [])),
  ].join("\n\n");
}
