import { readFileSync } from "node:fs";
import { join } from "node:path";
import { columnMeaning, objectMeaning } from "../../warehouse/schema/meanings.ts";
import { SQL_ROOT } from "../../warehouse/sql.ts";
import { code, tableText } from "./table.ts";

interface Recorded {
  readonly object: string;
  readonly engine: string;
  readonly columns: readonly string[];
  readonly sortingKey: string;
  readonly ttl: string;
}

const recorded = JSON.parse(readFileSync(join(SQL_ROOT, "schema.json"), "utf8")) as Recorded[];

const columnRow =
  (object: string) =>
  (text: string): string[] => {
    const [name = "", ...type] = text.split(" ");
    return [
      code(name),
      code(type.join(" ").replace(/ (DEFAULT|MATERIALIZED) .*| CODEC.*/, "")),
      columnMeaning(object, name),
    ];
  };

const isInternal = ({ object, engine }: Recorded): boolean =>
  /(_build|_candidate|_parsed|\.work_\w+|_mv)$/.test(object) || engine === "Kafka";

const LAYERS = {
  stg: "Messages as they came from Kafka, or from a load without Kafka.",
  ods: "Typed messages, and rejected ones in `*_errors`.",
  dds: "One row per page event and per session, without duplicates.",
  dm: "Marts for analysts and Superset.",
} as const;

function section(table: Recorded): string {
  const facts = [
    table.engine,
    table.sortingKey && `sorted by ${code(table.sortingKey)}`,
    table.ttl && `kept for ${code(table.ttl)}`,
  ].filter(Boolean);
  return [
    `### ${table.object}`,
    `${objectMeaning(table.object)} (${facts.join(", ")})`.trim(),
    tableText({
      head: ["column", "type", "meaning"],
      rows: table.columns.map(columnRow(table.object)),
    }),
  ].join("\n\n");
}

export const tablesPage = (): string =>
  [
    "# Tables and columns",
    "Of the four layers, as `sql/ddl` declares them. Internal tables of the batch process are left out.",
    ...Object.entries(LAYERS).flatMap(([layer, meaning]) => [
      `## ${layer}`,
      meaning,
      ...recorded
        .filter((one) => one.object.startsWith(`${layer}.`) && !isInternal(one))
        .map(section),
    ]),
  ].join("\n\n");
