/** Writes the generated docs: whole reference pages, and parts of other pages between marks. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defects } from "../contract/defects.ts";
import { findScenario, scenarioNames } from "../generator/behaviour/scenario/scenario.ts";
import { BROKER_RIGHTS } from "../kafka/rights.ts";
import { readLabs } from "../labs/lab.ts";
import { metricsPage } from "./reference/alerts.ts";
import { configurationPage, variablesPage } from "./reference/configuration.ts";
import { portsPage } from "./reference/ports.ts";
import { queriesPage } from "./reference/queries.ts";
import { sourcesPage } from "./reference/sources.ts";
import { code, tableText } from "./reference/table.ts";
import { tablesPage } from "./reference/tables.ts";

const DOCS = join(import.meta.dirname, "../docs");

/** Replaces the text between two marks. @param by the program that writes it @throws Error if a mark is missing */
export function replace(
  text: string,
  name: string,
  content: string,
  by = "scripts/write-docs.ts",
): string {
  const begin = `<!-- ${name}: ${by} -->`;
  const end = `<!-- end of ${name} -->`;
  const [before = "", rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`The page has no ${begin} or ${end}`);
  return `${before}${begin}\n${content}\n${end}${after}`;
}

const labsTable = (): string =>
  tableText({
    head: ["lab", "title", "to learn"],
    rows: readLabs().map(({ number, title, learn }) => [`${number}`, title, learn]),
  });

const scenarioTable = (): string =>
  tableText({
    head: ["scenario", "question"],
    rows: scenarioNames().map((name) => [code(name), findScenario(name).about]),
  });

const KINDS = { TOPIC: "topic", GROUP: "consumer group", TRANSACTIONAL_ID: "transactional id" };

/** Rights that the user needs at a broker with access control lists. */
const brokerRights = (): string =>
  tableText({
    head: ["operation", "resource", "names", "for"],
    rows: BROKER_RIGHTS.map(
      ({ operation, resource, pattern, names, purpose, isForReset }, index) => [
        code(operation),
        `${KINDS[resource]}${pattern === "PREFIXED" ? ", prefixed" : ""}`,
        index > 0 && names === BROKER_RIGHTS[0]?.names ? "the same" : names.map(code).join(" "),
        `${purpose}${isForReset ? ": only a reset and a clean start" : ""}`,
      ],
    ),
  });

const PARTS: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  "explanation/generator-model.md": () => ({
    defects: tableText({
      head: ["defect", "meaning"],
      rows: Object.entries(defects).map(([name, meaning]) => [code(name), meaning]),
    }),
  }),
  "explanation/scenarios.md": () => ({ scenarios: scenarioTable() }),
  "how-to/use-it-in-a-course.md": () => ({ labs: labsTable() }),
  "how-to/use-your-own-kafka-or-clickhouse.md": () => ({ rights: brokerRights() }),
};

const WHOLE_PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  "reference/configuration.md": configurationPage,
  "reference/generator-variables.md": variablesPage,
  "reference/metrics-and-alerts.md": metricsPage,
  "reference/ports.md": portsPage,
  "reference/queries.md": queriesPage,
  "reference/sources.md": sourcesPage,
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
