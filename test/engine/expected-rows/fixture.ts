import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { parseTable } from "./notation.ts";

const table = z.string().transform(parseTable);
const params = z.record(
  z.string(),
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.array(z.string()),
    z.record(z.string(), z.union([z.number(), z.array(z.string())])),
  ]),
);

const caseSchema = z.strictObject({
  params: params.default({}),
  /** Rows by table. Columns that are not named have their default. */
  given: z.record(z.string(), table).default({}),
  /**
   * Rows by table or view; `rows` is the result of the query, `rows WHERE …` a part of it. Only named
   * columns are compared.
   */
  expect: z
    .record(z.string(), table)
    .refine((tables) => Object.keys(tables).length > 0, "a case must expect something"),
});

const fixtureSchema = z.strictObject({
  /** Further files that these cases test, such as views that the statement writes through. */
  also: z.array(z.string()).default([]),
  /** True if the query defines an order of rows. Otherwise both sides are sorted. */
  ordered: z.boolean().default(false),
  /** Query that gives `rows`, for a file of functions. */
  query: z.string().optional(),
  params: params.default({}),
  /** Rows for every case that has no rows of the table. */
  given: z.record(z.string(), table).default({}),
  /** Values of columns that a case does not name, by table. */
  defaults: z.record(z.string(), z.record(z.string(), z.coerce.string())).default({}),
  /** The message that columns `raw.FIELD` of a given table modify. */
  payload: z.record(z.string(), z.unknown()).default({}),
  cases: z.record(z.string(), caseSchema),
});

export type Case = z.infer<typeof caseSchema>;
export type Fixture = z.infer<typeof fixtureSchema> & {
  /** The tested file below `sql/`. */
  readonly file: string;
};

/** Every fixture of this folder: `etl/dm/session.yaml` tests `sql/etl/dm/session.sql`. */
export function readFixtures(): Fixture[] {
  return filesBelow(import.meta.dirname, ".yaml").map((path) => {
    const text = readFileSync(join(import.meta.dirname, path), "utf8");
    const fixture = fixtureSchema.safeParse(parse(text, { merge: true }));
    if (!fixture.success) throw new Error(`${path}: ${z.prettifyError(fixture.error)}`);
    return { ...fixture.data, file: path.replace(/\.yaml$/, ".sql") };
  });
}

/** Paths of all files below a folder with this ending, sorted. */
export const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .sort();
