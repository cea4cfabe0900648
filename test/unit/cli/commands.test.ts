import { Command } from "commander";
import { expect, test } from "vitest";
import { EXAMPLES } from "../../../cli/examples.ts";
import { commandModules, modulesFor } from "../../../cli/modules.ts";

test.each(commandModules)(
  "the module of $names registers exactly these commands",
  async (module) => {
    const program = new Command();
    (await module.load())(program);
    expect(program.commands.map((command) => command.name())).toEqual(module.names);
  },
);

test("every command has an example, whose options it takes", async () => {
  for (const { names, load } of commandModules) {
    const program = new Command();
    (await load())(program);
    for (const name of names) {
      const [, ...words] = (EXAMPLES[name] ?? "").split(" ");
      const one = program.commands.find((command) => command.name() === name);
      const own = one?.commands.find((command) => command.name() === words[0]) ?? one;
      const known = own?.options.map((option) => option.long);
      const used = words.filter((word) => word.startsWith("--"));
      expect(EXAMPLES[name], name).toMatch(new RegExp(`^${name}( |$)`));
      expect(known).toEqual(expect.arrayContaining(used));
    }
  }
});

test("an unknown name or none loads every module", () => {
  for (const name of [undefined, "--help", "nonsense"]) {
    expect(modulesFor(name, commandModules)).toHaveLength(commandModules.length);
  }
  expect(modulesFor("step", commandModules)).toHaveLength(1);
});
