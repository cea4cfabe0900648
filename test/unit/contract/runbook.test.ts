import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { commandModules, modulesFor } from "../../../cli/program.ts";
import { pageText, readPage, WRITTEN_PAGES } from "../../../scripts/write-docs.ts";

test.each(WRITTEN_PAGES)(
  "%s is up to date with the code (node scripts/write-docs.ts)",
  async (page) => {
    expect(readPage(page)).toBe(await pageText(page));
  },
);

/** Commands that make targets run; the page names the targets. */
const BEHIND_MAKE = new Set(["stack", "monitoring"]);

test("the page of commands names every command", async () => {
  const program = new Command();
  for (const load of modulesFor(undefined, commandModules)) (await load())(program);
  const names = program.commands
    .filter((command) => !BEHIND_MAKE.has(command.name()))
    .flatMap((command) =>
      command.commands.length > 0
        ? command.commands.map((sub) => `${command.name()} ${sub.name()}`)
        : [command.name()],
    );
  expect(names).toContain("generator clean-start");
  const text = readPage("operations.md");
  expect(names.filter((name) => !isNamed(text, name))).toEqual([]);
});

const isNamed = (text: string, name: string): boolean =>
  new RegExp(`\`((pipeline|make) )?${name}\\b`).test(text);

test("no page recommends removing the folder that holds the secrets of every stack", () => {
  const pages = [...globSync(join(import.meta.dirname, "../../../docs/**/*.md")), "README.md"];
  const advice = /\b(remove|delete|rm -rf?)\s+`?\.state\/?(`|\s|$)/i;
  expect("remove `.state/`.").toMatch(advice);
  expect(pages.filter((page) => advice.test(readFileSync(page, "utf8")))).toEqual([]);
});
