import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../contract/ports.ts";
import { literal, SQL_ROOT, type Tier } from "../sql.ts";
import { COMMENT, formatted, readSnapshot, type SchemaObject } from "./snapshot.ts";

export interface Difference {
  readonly object: string;
  readonly what: string;
  readonly engine: string;
}

/** Objects that the DDL files create, recorded from the engine; a test compares them. */
export const DECLARED_PATH = join(SQL_ROOT, "schema.json");

export type DeclaredObject = SchemaObject & { readonly tier: Tier };

export const readDeclared = (): DeclaredObject[] =>
  JSON.parse(readFileSync(DECLARED_PATH, "utf8")) as DeclaredObject[];

export interface Column {
  readonly name: string;
  readonly type: string;
  /** Empty if the DDL gives none. */
  readonly comment: string;
}

export function columnsOf(table: string): Column[] {
  const declared = readDeclared().find(({ object }) => object === table);
  if (!declared) throw new Error(`${table} is not in sql/schema.json`);
  return declared.columns.map((column) => {
    const [definition = "", ...comment] = column.split(COMMENT);
    const [name = "", ...rest] = definition.split(" ");
    const type = rest.join(" ").replace(/ (DEFAULT|CODEC) ?.*$/, "");
    return { name, type, comment: comment.join(COMMENT) };
  });
}

/** Returns columns without their comments, which `ddl` writes itself. */
export const definitionsOf = ({ columns }: SchemaObject): string[] =>
  columns.map((column) => column.split(COMMENT)[0] ?? "");

/** Compares the database with the DDL files; ignores foreign objects. */
export function compareSchema(
  live: readonly SchemaObject[],
  tier: Tier,
  whole: readonly DeclaredObject[] = readDeclared(),
): Difference[] {
  const found = new Map(live.map((object) => [object.object, object]));
  return whole
    .filter((declared) => declared.tier === "all" || declared.tier === tier)
    .flatMap((declared) => {
      const what = differenceOf(declared, found.get(declared.object));
      return what === "" ? [] : [{ object: declared.object, what, engine: declared.engine }];
    });
}

export function differenceOf(declared: SchemaObject, live: SchemaObject | undefined): string {
  if (!live) return "missing";
  const parts = [
    // A managed server replicates by itself; such an engine keeps the same rows by the same rule.
    replaced("engine", engineOf(declared), engineOf(live).replace(/^(Replicated|Shared)/, "")),
    replaced("writes to", declared.target, live.target),
    ...listDifferences("column", definitionsOf(declared), definitionsOf(live)),
    orderDifference(definitionsOf(declared), definitionsOf(live)),
    ...listDifferences("index", declared.indexes, live.indexes),
    ...listDifferences("setting", declared.settings, live.settings),
    replaced("TTL", declared.ttl, live.ttl),
    live.partitionKey === declared.partitionKey ? "" : `partition key ${live.partitionKey}`,
    live.sortingKey === declared.sortingKey ? "" : `sorting key ${live.sortingKey}`,
    live.query === declared.query ? "" : "another query",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

const replaced = (what: string, declared: string, live: string): string =>
  live === declared ? "" : `${what} ${live || "none"} instead of ${declared || "none"}`;

const engineOf = ({ engine, engineArguments }: SchemaObject): string =>
  engineArguments === "" ? engine : `${engine}(${engineArguments})`;

/** Compares the order of the columns that both have: inserts without names depend on it. */
function orderDifference(declared: readonly string[], live: readonly string[]): string {
  const expected = declared.filter((column) => live.includes(column));
  const found = live.filter((column) => declared.includes(column));
  const at = expected.findIndex((column, index) => column !== found[index]);
  const [name, place] = [found[at], expected[at]].map((column = "") => column.split(" ")[0]);
  return at < 0 ? "" : `columns in another order: ${name} in the place of ${place}`;
}

function listDifferences(
  kind: string,
  declared: readonly string[],
  live: readonly string[],
): string[] {
  const missing = declared.filter((part) => !live.includes(part));
  const foreign = live.filter((part) => !declared.includes(part));
  return [
    ...missing.map((part) => `no ${kind} ${part}`),
    ...foreign.map((part) => `${kind} ${part} is not declared`),
  ];
}

/** Compares the database with the DDL files. */
export const findDifferences = async (db: Database, tier: Tier): Promise<Difference[]> =>
  compareSchema(await readSnapshot(db), tier, await readDeclaredFor(db));

/** Returns the declared objects, with their queries as this server formats them. */
async function readDeclaredFor(db: Database): Promise<DeclaredObject[]> {
  const declared = readDeclared();
  // Inside the statement, because parameters are part of the URL.
  const texts = declared.map(({ query }) => literal(query)).join(", ");
  const rows = await db.rows<{ query: string }>(
    `SELECT ${formatted("text")} AS query FROM (SELECT arrayJoin([${texts}]) AS text)`,
  );
  return declared.map((object, at) => ({ ...object, query: rows[at]?.query ?? object.query }));
}

export const findDifferingViews = async (db: Database): Promise<Difference[]> =>
  (await findDifferences(db, "all")).filter(({ engine }) => engine.endsWith("View"));
