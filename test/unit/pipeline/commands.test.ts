import { Command } from "commander";
import { expect, test } from "vitest";
import { commandModules, modulesFor } from "../../../pipeline/commands/modules.ts";

test.each(commandModules)(
  "the module of $names registers exactly these commands",
  async (module) => {
    const program = new Command();
    (await module.load())(program);
    expect(program.commands.map((command) => command.name())).toEqual(module.names);
  },
);

test("an unknown name or none loads every module", () => {
  for (const name of [undefined, "--help", "nonsense"]) {
    expect(modulesFor(name, commandModules)).toHaveLength(commandModules.length);
  }
  expect(modulesFor("step", commandModules)).toHaveLength(1);
});
