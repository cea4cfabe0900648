import { InvalidArgumentError, Option } from "commander";
import type { Database } from "../../contract/ports.ts";
import { EMBEDDED_DIRECTORY, openDatabase } from "../database/open.ts";
import { explainMissingSchema } from "../schema/missing.ts";

export interface DatabaseOption {
  readonly database: string;
}

/** `--database`: which ClickHouse a command works on. */
export const databaseOption = (): Option =>
  new Option("--database <url|dir>", "ClickHouse server, or data directory of the embedded engine")
    .env("CLICKHOUSE_URL")
    .default(EMBEDDED_DIRECTORY, "the embedded engine in .state/embedded");

export const jsonOption = (): Option => new Option("--json", "print JSON for programs");

/** Opens the database, hands it to `work` and closes it whatever happens. */
export async function withDatabase<T>(
  { database }: DatabaseOption,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = await openDatabase(database);
  try {
    return await work(db);
  } catch (error) {
    throw explainMissingSchema(error, db.label, db);
  } finally {
    await db.close();
  }
}

/** Parser of whole numbers for commander, with bounds. */
export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const upper = max === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${max}`;
    throw new InvalidArgumentError(`Allowed: a whole number of at least ${min}${upper}.`);
  };

/** Parser of decimal numbers for commander, with bounds. */
export const numberBetween =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== "" && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Allowed: a number from ${min} to ${max}.`);
  };

/** Parser of positive decimal numbers for commander. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("Allowed: a number above 0.");
}

export const printLine = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

export const printJson = (value: unknown): void => printLine(JSON.stringify(value, null, 2));
