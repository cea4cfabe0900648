/** Writes the generated docs: whole reference pages, and parts of other pages between marks. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defects } from "../contract/defects.ts";
import { DRILL_HEAD, drillRows } from "./reference/alerts.ts";
import { brokerRights } from "./reference/broker-rights.ts";
import { configurationPage, variablesPage } from "./reference/configuration.ts";
import { labsTable } from "./reference/labs.ts";
import { metricsPage } from "./reference/metrics-and-alerts.ts";
import { portsPage } from "./reference/ports.ts";
import { scalingTables } from "./reference/scaling.ts";
import { code, tableText } from "./reference/table.ts";
import { tablesPage } from "./reference/tables.ts";

const DOCS = join(import.meta.dirname, "../docs");

/** Replaces the text between two marks. @throws Error if a mark is missing */
function replace(text: string, name: string, content: string): string {
  const begin = `<!-- ${name}: scripts/write-docs.ts -->`;
  const end = `<!-- end of ${name} -->`;
  const [before = "", rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`The page has no ${begin} or ${end}`);
  return `${before}${begin}\n${content}\n${end}${after}`;
}

const PARTS: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  "verification.md": () => ({
    drills: tableText({ head: DRILL_HEAD, rows: drillRows() }),
  }),
  "explanation/generator-model.md": () => ({
    defects: tableText({
      head: ["defect", "meaning"],
      rows: Object.entries(defects).map(([name, meaning]) => [code(name), meaning]),
    }),
  }),
  "how-to/use-it-in-a-course.md": () => ({ labs: labsTable() }),
  "how-to/use-your-own-kafka-or-clickhouse.md": () => ({ rights: brokerRights() }),
  "explanation/scaling.md": scalingTables,
};

const WHOLE_PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  "reference/configuration.md": configurationPage,
  "reference/generator-variables.md": variablesPage,
  "reference/metrics-and-alerts.md": metricsPage,
  "reference/ports.md": portsPage,
  "reference/tables.md": tablesPage,
};

const GENERATED = "<!-- Generated: node scripts/write-docs.ts -->";

export const WRITTEN_PAGES = [...Object.keys(PARTS), ...Object.keys(WHOLE_PAGES)];

export const readPage = (page: string): string => readFileSync(join(DOCS, page), "utf8");

export async function pageText(page: string): Promise<string> {
  const whole = WHOLE_PAGES[page];
  if (whole) return `${GENERATED}\n${(await whole()).trim()}\n`;
  return Object.entries(PARTS[page]?.() ?? {}).reduce(
    (text, [name, content]) => replace(text, name, content),
    readPage(page),
  );
}

if (import.meta.main) {
  for (const page of WRITTEN_PAGES) {
    mkdirSync(dirname(join(DOCS, page)), { recursive: true });
    writeFileSync(join(DOCS, page), await pageText(page));
  }
}
