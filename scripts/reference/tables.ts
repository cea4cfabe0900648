import { readFileSync } from "node:fs";
import { join } from "node:path";
import { columnDescription, objectDescription } from "../../warehouse/schema/descriptions.ts";
import { SQL_ROOT } from "../../warehouse/sql.ts";
import { code, tableText } from "./table.ts";

interface RecordedObject {
  readonly object: string;
  readonly engine: string;
  readonly columns: readonly string[];
  readonly sortingKey: string;
  readonly ttl: string;
}

const recorded = JSON.parse(
  readFileSync(join(SQL_ROOT, "schema.json"), "utf8"),
) as RecordedObject[];

const columnRow =
  (object: string) =>
  (text: string): string[] => {
    const [name = "", ...type] = text.split(" ");
    return [
      code(name),
      code(type.join(" ").replace(/ (DEFAULT|MATERIALIZED) .*| CODEC.*/, "")),
      columnDescription(object, name),
    ];
  };

const isInternal = ({ object, engine }: RecordedObject): boolean =>
  /(_build|_candidate|_parsed|\.work_\w+|_mv)$/.test(object) || engine === "Kafka";

const LAYERS = {
  stg: "Messages as received from Kafka, or from a load without Kafka.",
  ods: "Typed messages, and rejected ones in `*_errors`.",
  dds: "One row per page event and per session, without duplicates.",
  dm: "Marts for analysts and Superset.",
  dm_internal: "Scratch and commits of the loads of `dm`.",
} as const;

function section(table: RecordedObject): string {
  const facts = [
    table.engine,
    table.sortingKey && `sorted by ${code(table.sortingKey)}`,
    table.ttl && `kept for ${code(table.ttl)}`,
  ].filter(Boolean);
  return [
    `### ${table.object}`,
    `${objectDescription(table.object)} (${facts.join(", ")})`.trim(),
    tableText({
      head: ["column", "type", "meaning"],
      rows: table.columns.map(columnRow(table.object)),
    }),
  ].join("\n\n");
}

export const tablesPage = (): string =>
  [
    "# Tables and columns",
    "The tables of the four layers, as `sql/ddl` declares them, without internal tables of the batch process.",
    ...Object.entries(LAYERS).flatMap(([layer, meaning]) => [
      `## ${layer}`,
      meaning,
      ...recorded
        .filter((one) => one.object.startsWith(`${layer}.`) && !isInternal(one))
        .map(section),
    ]),
  ].join("\n\n");
