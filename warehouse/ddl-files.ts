import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Params } from "../contract/ports.ts";
import { STREAMS, type StreamName } from "../contract/streams.ts";
import { literal, readQuery, SQL_ROOT, splitStatements } from "./sql.ts";
import { typingOf, typingParams } from "./typing.ts";

/** Tiers of the DDL: `broker` adds readers of Kafka, `service` the tables of `pipeline ingest`. */
export const TIERS = ["all", "broker", "service"] as const;

export type Tier = (typeof TIERS)[number];

export interface DdlFile {
  readonly path: string;
  /** From the first line, such as `-- tier: broker service`. */
  readonly tiers: readonly Tier[];
  readonly statements: readonly string[];
}

export function ddlFiles(): DdlFile[] {
  const folders = readdirSync(join(SQL_ROOT, "ddl"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  const paths = folders.flatMap((folder) =>
    readdirSync(join(SQL_ROOT, "ddl", folder))
      .sort()
      .map((file) => join("ddl", folder, file)),
  );
  const files = ["ddl/00_databases.sql", ...paths].flatMap(readDdlFile);
  // Views of dm read these.
  return files.toSpliced(
    files.findIndex(({ path }) => path.startsWith("ddl/40_dm")),
    0,
    liveMessages(),
  );
}

/** Returns a file, or one per stream if its statements name `{stream}`. */
function readDdlFile(path: string): DdlFile[] {
  const text = readFileSync(join(SQL_ROOT, path), "utf8");
  const named = /^-- tier: ([\w ]+)$/.exec(text.split("\n", 1)[0] ?? "")?.[1]?.split(" ") ?? [];
  const tiers = TIERS.filter((known) => named.includes(known));
  if (tiers.length === 0 || tiers.length < named.length) {
    throw new Error(`${path}: the first line must be "-- tier: " and some of ${TIERS.join(", ")}`);
  }
  const texts = text.includes("{stream}")
    ? STREAMS.map((stream) => text.replaceAll("{stream}", stream))
    : [text];
  return texts.map((one) => ({ path, tiers, statements: splitStatements(one) }));
}

/** Returns the object that a statement creates. */
const createdObject = (statement: string): string | undefined =>
  /^CREATE [A-Z ]+ IF NOT EXISTS (\S+\.\S+)/m.exec(statement)?.[1];

/** Returns the tables and views of every tier in the order of the files. */
export const createdObjects = (): string[] => [
  ...new Set(
    ddlFiles().flatMap(({ statements }) =>
      statements.flatMap((statement) => createdObject(statement) ?? []),
    ),
  ),
];

/** Returns the views that type what came to stg in the last minutes, as a load does. */
function liveMessages(): DdlFile {
  const { params } = parse(readFileSync(join(SQL_ROOT, "etl/plan.yaml"), "utf8")) as {
    params: Params;
  };
  const viewOf = (stream: StreamName): string =>
    `CREATE VIEW IF NOT EXISTS dm_internal.live_${stream}
    COMMENT 'One row per ${stream} message of the last minutes, typed as by a load.'
AS
${withValues(typingOf(stream, readQuery("live/recent.sql")), { ...params, ...typingParams(stream), lease_id: 0 })}`;
  return { path: "ddl/40_dm/live.sql", tiers: ["all"], statements: STREAMS.map(viewOf) };
}

/** Writes values for parameters, which a view cannot have. */
const withValues = (sql: string, params: Params): string =>
  sql.replace(/\{(\w+):\w+\}/g, (_, name: string) => {
    const value = params[name];
    return typeof value === "string" ? literal(value) : `${value}`;
  });
