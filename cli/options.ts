import { InvalidArgumentError, Option } from "commander";
import type { ReadableDatabase } from "../contract/ports.ts";
import { openDatabase } from "../warehouse/database/open.ts";
import {
  isServer,
  lastWorkspace,
  rememberWorkspace,
  requireWorkspace,
} from "../warehouse/database/workspace.ts";
import { explainMissingSchema } from "../warehouse/schema/missing-schema.ts";
import { TIERS } from "../warehouse/sql.ts";

export interface DatabaseOption {
  readonly database: string;
}

export const databaseOption = (): Option =>
  new Option("--database <url|dir>", "ClickHouse server, or data directory of the embedded engine")
    .env("CLICKHOUSE_URL")
    .argParser(databaseTarget)
    .default(lastWorkspace(), "the last used workspace, initially .state/embedded");

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

/** Opens the database. Only `write` creates a directory and makes it the last used workspace. */
export async function withDatabase<T>(
  { database }: DatabaseOption,
  work: (db: ReadableDatabase) => Promise<T>,
  access: "read" | "write" = "read",
): Promise<T> {
  if (!isServer(database) && access === "read") requireWorkspace(database);
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

export const printLine = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

export const printJson = (value: unknown): void => printLine(JSON.stringify(value, null, 2));
