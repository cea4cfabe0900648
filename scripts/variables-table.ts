/** Writes the table of the generator's variables into docs/operations.md, between its marks. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { variables } from "../generator/variables.ts";

const PATH = join(import.meta.dirname, "../docs/operations.md");
const BEGIN = "<!-- variables: scripts/variables-table.ts -->";
const END = "<!-- end of variables -->";

/** The runbook with the table as the code has it now. */
export function withTable(text: string): string {
  const rows = Object.entries(variables).map(
    ([name, { fallback, allowed, meaning }]) =>
      `| \`${name}\` | ${meaning} | ${allowed} | ${fallback ? `\`${fallback}\`` : ""} |`,
  );
  const table = ["| variable | meaning | allowed | default |", "|---|---|---|---|", ...rows];
  const [before = "", rest = ""] = text.split(BEGIN);
  return `${before}${BEGIN}\n${table.join("\n")}\n${END}${rest.split(END)[1] ?? ""}`;
}

export const readRunbook = (): string => readFileSync(PATH, "utf8");

if (import.meta.main) writeFileSync(PATH, withTable(readRunbook()));
