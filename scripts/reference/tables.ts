import { readFileSync } from "node:fs";
import { join } from "node:path";
import { martColumns } from "../../contract/mart-columns.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { ddlFiles, SQL_ROOT } from "../../warehouse/sql.ts";
import { code, tableText } from "./table.ts";

interface Recorded {
  readonly object: string;
  readonly engine: string;
  readonly columns: readonly string[];
  readonly sortingKey: string;
  readonly ttl: string;
}

const recorded = JSON.parse(readFileSync(join(SQL_ROOT, "schema.json"), "utf8")) as Recorded[];

type Meanings = Readonly<Record<string, string>>;

const ADDED: Meanings = {
  epoch: "Epoch of the topics that the message was in",
  _topic: "Topic of the message",
  _partition: "Partition of the message",
  _offset: "Offset of the message in its partition",
  _key: "Key of the message",
  _timestamp: "Time of the message in Kafka, wall time",
  raw: "Payload as it came",
  emitted_at: "When the message left the visitor, model time",
  ingested_at: "When ClickHouse stored the message, wall time",
  markers: "What is wrong with the record (topics.md#markers-of-the-pipeline)",
  error_reason: "Marker of a rejected or marked record",
  load_id: "Load that wrote the row; rows count when the load is committed",
  lease_id: "Lease of the step that wrote the row",
  committed_at: "When the load was committed, wall time",
};

const ofMessages: Meanings = Object.fromEntries(
  STREAMS.flatMap((stream) =>
    Object.entries(streams[stream].fields).map(([name, { description }]) => [name, description]),
  ),
);

const meaningsOf = (object: string): Meanings => ({
  ...ADDED,
  ...ofMessages,
  ...(object.startsWith("dm.") ? martColumns : {}),
});

function commentOf(object: string): string {
  const creates = new RegExp(`^CREATE [A-Z ]+ ${object.replace(".", "\\.")}\\b`, "m");
  const file = ddlFiles().find(({ statements }) => statements.some((text) => creates.test(text)));
  if (!file) return "";
  const lines = readFileSync(join(SQL_ROOT, file.path), "utf8").split("\n").slice(1);
  const comments = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith("-- ")),
  );
  return comments.map((line) => line.slice(3)).join(" ");
}

const columnRow =
  (meanings: Meanings) =>
  (text: string): string[] => {
    const [name = "", ...type] = text.split(" ");
    return [
      code(name),
      code(type.join(" ").replace(/ (DEFAULT|MATERIALIZED) .*| CODEC.*/, "")),
      meanings[name] ?? "",
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
    `${commentOf(table.object)} (${facts.join(", ")})`.trim(),
    tableText({
      head: ["column", "type", "meaning"],
      rows: table.columns.map(columnRow(meaningsOf(table.object))),
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
