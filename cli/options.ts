import { InvalidArgumentError, Option } from "commander";
import { type BrokerConnection, readBrokerConnection } from "../contract/broker.ts";
import type { Database, ReadableDatabase } from "../contract/ports.ts";
import { placeOf } from "../warehouse/database/command.ts";
import { explainMissingSchema } from "../warehouse/database/missing-schema.ts";
import { openDatabase } from "../warehouse/database/open.ts";
import { TIERS } from "../warehouse/ddl-files.ts";
import {
  isServer,
  lastWorkspace,
  rememberWorkspace,
  requireWorkspace,
  shortPath,
} from "../warehouse/engine/workspace.ts";
import type { OpenBroker } from "../warehouse/loader/over-broker.ts";
import type { Source } from "../warehouse/sources/source.ts";

export interface DatabaseOption {
  readonly database: string;
  /** True if the database is the default one of the command; `createProgram` sets it. */
  readonly isUnnamed?: true;
  /** Of the commands with `jsonOption`. */
  readonly json?: true;
}

export const databaseOption = (): Option =>
  new Option("--database <url|dir>", "ClickHouse server, or directory of a workspace")
    .env("CLICKHOUSE_URL")
    .argParser(databaseTarget)
    .default(lastWorkspace(), "the last used workspace, initially .state/data");

/** Parses the option; an address of another kind, or nothing, would be used as a directory. */
function databaseTarget(text: string): string {
  if (text === "") throw new InvalidArgumentError(ALLOWED_TARGETS);
  if (isServer(text) || !text.includes("://")) return text;
  throw new InvalidArgumentError(ALLOWED_TARGETS);
}

const ALLOWED_TARGETS = "Allowed: http://host:port, https://host:port or a directory";

export const tierOption = (about: string): Option =>
  new Option("--tier <tier>", about)
    .choices(TIERS)
    .env("DDL_TIER")
    .default(process.env.KAFKA_BOOTSTRAP_SERVERS ? "broker" : "all");

export const jsonOption = (): Option => new Option("--json", "print JSON for programs");

export const formatOption = (): Option =>
  new Option(
    "--format <name>",
    "a ClickHouse format: PrettyCompact, CSVWithNames, JSONEachRow, Vertical, Parquet, …",
  )
    .argParser(nonEmpty)
    .default("PrettyCompact");

/**
 * Opens the database, and says which workspace it is if the user did not. Only `write` creates a
 * directory and makes it the last used workspace.
 */
export async function withDatabase<T>(
  { database, isUnnamed }: DatabaseOption,
  work: (db: ReadableDatabase) => Promise<T>,
  access: "read" | "write" = "read",
): Promise<T> {
  if (!isServer(database) && access === "read") requireWorkspace(database);
  if (isUnnamed) process.stderr.write(`workspace: ${shortPath(database)}\n`);
  const db = await openDatabase(database);
  try {
    if (db.directory !== undefined && access === "write") rememberWorkspace(db.directory);
    return await work(db);
  } catch (error) {
    throw explainMissingSchema(error, db.label, db);
  } finally {
    await db.close();
  }
}

export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const upper = max === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${max}`;
    throw new InvalidArgumentError(`Allowed: a whole number of at least ${min}${upper}`);
  };

/** Refuses an empty text, such as an unset make variable. */
export function nonEmpty(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("Allowed: any non-empty text");
}

export const numberBetween =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== "" && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Allowed: a number from ${min} to ${max}`);
  };

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("Allowed: a number above 0");
}

export const bootstrapOption = (): Option =>
  new Option("--bootstrap <servers>", "Kafka broker, host:port; several separated by commas").env(
    "KAFKA_BOOTSTRAP_SERVERS",
  );

const AGAIN = "run `make urls` to see whether Kafka answers, then retry";

/**
 * Opens broker and database, then closes both.
 * @param hint for an error of `work`
 * @throws UserError
 */
export async function withBroker<T>(
  bootstrap: string | undefined,
  databaseTarget: string | undefined,
  work: (broker: OpenBroker) => Promise<T>,
  hint: string = AGAIN,
): Promise<T> {
  const connection = connectionTo(bootstrap);
  const { openBroker } = await import("../kafka/client.ts");
  const admin = await openBroker(connection, "pipeline");
  let database: Database | null = null;
  try {
    database = databaseTarget ? await openDatabase(databaseTarget) : null;
    return await work({ connection, admin, database });
  } catch (error) {
    const { explainFailure } = await import("../kafka/client.ts");
    throw await explainFailure(error, connection, hint);
  } finally {
    await database?.close();
    await admin.close();
  }
}

export const connectionTo = (bootstrap: string | undefined): BrokerConnection =>
  readBrokerConnection({
    ...process.env,
    ...(bootstrap ? { KAFKA_BOOTSTRAP_SERVERS: bootstrap } : {}),
  });

/** Reads the sources from the broker, if one is configured. Writes nothing. */
export async function readSourcesAtBroker(db: Database): Promise<Source[]> {
  const bootstrap = process.env.KAFKA_BOOTSTRAP_SERVERS;
  if (!bootstrap) return [];
  const { sourcesAtBroker } = await import("../warehouse/sources/broker.ts");
  return withBroker(bootstrap, undefined, ({ admin }) => sourcesAtBroker(db, admin));
}

/** Place that commands name, without the folders above the current one. */
export const placeFor = (database: string) =>
  placeOf(isServer(database) ? database : shortPath(database));
