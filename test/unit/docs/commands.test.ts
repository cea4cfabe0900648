import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { commandModules, modulesFor } from "../../../cli/program.ts";
import manifest from "../../../package.json" with { type: "json" };
import { commandsOf, projectFiles, ROOT, textOf } from "./pages.ts";

const pages = projectFiles("*.md");
const typed = pages.flatMap((page) => commandsOf(textOf(page)).map((code) => ({ page, code })));

/** Matches of `pattern` with an unknown name, and their places. */
const unknown = (pattern: RegExp, isKnown: (found: RegExpMatchArray) => boolean): string[] => {
  const found = typed.flatMap(({ page, code }) =>
    [...code.matchAll(pattern)].map((match) => ({ page, match })),
  );
  expect(found.length).toBeGreaterThan(5);
  return found
    .filter(({ match }) => !isKnown(match))
    .map(({ page, match }) => `${page}: ${match[0]}`);
};

const makefiles = projectFiles("Makefile", "*.mk").map(textOf).join("\n");
const programs = projectFiles("*.ts")
  .filter((file) => !file.startsWith("test/"))
  .map(textOf)
  .join("\n");

test("every make target on a page exists", () => {
  const targets = new Set([...makefiles.matchAll(/^([a-z][a-z-]*):/gm)].map(([, name]) => name));
  expect(unknown(/\bmake (?:-s )?([a-z][a-z-]*)/g, ([, name]) => targets.has(name))).toEqual([]);
});

test("every make variable on a page exists", () => {
  const isRead = (name: string): boolean =>
    makefiles.includes(`$(${name}`) ||
    makefiles.includes(`$(filter 1,$(${name}`) ||
    new RegExp(`\\b${name}\\b`).test(programs);
  const variable = /(?<=\bmake .*)\b([A-Z][A-Z_]+)=/g;
  expect(unknown(variable, ([, name = ""]) => isRead(name))).toEqual([]);
});

test("every npm script and program on a page exists", () => {
  const scripts = Object.keys(manifest.scripts);
  expect(
    unknown(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g, ([, name = ""]) =>
      scripts.includes(name),
    ),
  ).toEqual([]);
  const program = /\bnode (?:--\S+ )*([\w/.-]+\.ts)\b/g;
  expect(unknown(program, ([, path = ""]) => existsSync(join(ROOT, path)))).toEqual([]);
});

test("every pipeline command on a page exists, with its options", async () => {
  const program = new Command();
  for (const load of modulesFor(undefined, commandModules)) (await load())(program);
  const isKnown = ([, line = ""]: RegExpMatchArray): boolean => {
    const words = line.split(/\s+/).filter(Boolean);
    const run = words.slice(0, 2).join(" ") === "stack run" ? words.indexOf("--") + 1 : 0;
    const [name, second, ...rest] = words.slice(run);
    if (name === undefined) return true;
    const command = program.commands.find((one) => one.name() === name);
    const sub = command?.commands.find((one) => one.name() === second);
    if (!command || (command.commands.length > 0 && second && !second.startsWith("…") && !sub))
      return false;
    const options = (sub ?? command).options.map(({ long }) => long);
    const used = [second, ...rest].join(" ").match(/--[a-z][a-z-]*/g) ?? [];
    return used.every((option) => options.includes(option));
  };
  const line = /(?:^|\s)(?:npm run (?:-s |--silent )?)?pipeline (?:-- )?(?!-)([a-z][^|;&>`]*)/g;
  expect(unknown(line, isKnown)).toEqual([]);
});
