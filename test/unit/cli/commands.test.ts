import { Command } from "commander";
import { expect, test } from "vitest";
import { commandModules, createProgram, EXAMPLES, modulesFor } from "../../../cli/program.ts";

test.each(commandModules)(
  "the module of $names registers exactly these commands",
  async (module) => {
    const program = new Command();
    (await module.load())(program);
    expect(program.commands.map((command) => command.name())).toEqual(module.names);
  },
);

/** A command, and its subcommands, by their paths such as `dataset check`. */
const treeOf = (command: Command, path: string): [string, Command][] => [
  [path, command],
  ...command.commands.flatMap((one) => treeOf(one, `${path} ${one.name()}`)),
];

function helpOf(command: Command): string {
  let help = "";
  const writeOut = (text: string) => {
    help += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  return help;
}

test("the help of every command and subcommand has an example with valid options", async () => {
  const program = await createProgram("--help");
  const tree = program.commands.flatMap((command) => treeOf(command, command.name()));
  expect(tree.map(([path]) => path)).toEqual(expect.arrayContaining(Object.keys(EXAMPLES)));
  for (const [path, command] of tree) {
    const example =
      /^Example: (?:[A-Z_]+=\S+ )?\.\/pipeline (.*)$/m.exec(helpOf(command))?.[1] ?? "";
    expect(`${example} `, path).toMatch(new RegExp(`^${path} `));
    // The options after `--` are those of another command.
    const used = (example.split(" -- ")[0] ?? "").match(/--[a-z-]+/g) ?? [];
    const target = tree.findLast(([other]) => `${example} `.startsWith(`${other} `));
    const known = (target?.[1] ?? command).options.map((option) => option.long);
    expect(known, path).toEqual(expect.arrayContaining(used));
  }
});

test("an unknown name or none loads every module", () => {
  for (const name of [undefined, "--help", "nonsense"]) {
    expect(modulesFor(name, commandModules)).toHaveLength(commandModules.length);
  }
  expect(modulesFor("step", commandModules)).toHaveLength(1);
});
