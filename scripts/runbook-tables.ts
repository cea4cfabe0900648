/** Writes what the docs tell of variables, settings, alerts and drills, between their marks. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { CONFIG_BLOCKS } from "../components/config.ts";
import { variables } from "../generator/variables.ts";
import { alertSections, DRILL_HEAD, drillRows } from "./runbook-alerts.ts";

const DOCS = join(import.meta.dirname, "../docs");

/** A table of the runbook; cells are Markdown. */
interface Table {
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const code = (value: unknown): string =>
  value === undefined || value === null || value === "" ? "" : `\`${value}\``;

const variablesTable: Table = {
  name: "variables",
  head: ["variable", "meaning", "allowed", "default"],
  rows: Object.entries(variables).map(([name, { fallback, allowed, meaning }]) => [
    code(name),
    meaning,
    allowed,
    code(fallback),
  ]),
};

/** Nothing is like it, so that every field says what it takes. */
const REFUSED = Symbol("no setting");

/** Blocks within a block have a row of their own, or are described in words. */
const NESTED = new Set(["broker.security", "generator.settings"]);

function settingRows(block: string, schema: z.ZodObject): string[][] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
    const name = `${block}.${key}`;
    if (NESTED.has(name) || key === "mode") return [];
    const message = field.safeParse(REFUSED).error?.issues[0]?.message ?? "";
    return [[code(name), message.replace(/^must be /, ""), code(field.safeParse(undefined).data)]];
  });
}

const settingsTable: Table = {
  name: "settings",
  head: ["setting", "allowed", "default"],
  rows: Object.entries(CONFIG_BLOCKS)
    // The variables have a table of their own.
    .filter(([block]) => block !== "generator.settings")
    .flatMap(([block, schemas]) => schemas.flatMap((schema) => settingRows(block, schema))),
};

const drillsTable = (): Table => ({ name: "drills", head: DRILL_HEAD, rows: drillRows() });

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const tableText = ({ head, rows }: Table): string =>
  [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");

/** @throws Error where the page has lost the marks */
function replace(text: string, name: string, content: string): string {
  const begin = `<!-- ${name}: scripts/runbook-tables.ts -->`;
  const end = `<!-- end of ${name} -->`;
  const [before = "", rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`The docs lack ${begin} or ${end}`);
  return `${before}${begin}\n${content}\n${end}${after}`;
}

/** Pages by name, each with what the code has to say on it. */
const PAGES: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  "operations.md": () =>
    Object.fromEntries(
      [variablesTable, settingsTable, drillsTable()].map((one) => [one.name, tableText(one)]),
    ),
  "monitoring.md": () => ({ alerts: alertSections() }),
};

export const WRITTEN_PAGES = Object.keys(PAGES);

export const readPage = (page: string): string => readFileSync(join(DOCS, page), "utf8");

/** A page with its tables and sections as the code has them now. */
export const withContent = (page: string, text: string): string =>
  Object.entries(PAGES[page]?.() ?? {}).reduce(
    (whole, [name, content]) => replace(whole, name, content),
    text,
  );

if (import.meta.main) {
  for (const page of WRITTEN_PAGES) {
    writeFileSync(join(DOCS, page), withContent(page, readPage(page)));
  }
}
