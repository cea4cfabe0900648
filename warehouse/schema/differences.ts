import type { Database } from "../../contract/ports.ts";
import type { Tier } from "../ddl-files.ts";
import {
  type DeclaredObject,
  definitionsOf,
  readDeclared,
  requireRecorded,
  type SchemaObject,
} from "../declared.ts";
import { literal } from "../sql.ts";
import { formatted, readSnapshot } from "./snapshot.ts";

export interface Difference {
  readonly object: string;
  readonly what: string;
  readonly engine: string;
}

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

/** Compares the database with the DDL files. @throws UserError if these were not recorded */
export async function findDifferences(db: Database, tier: Tier): Promise<Difference[]> {
  requireRecorded();
  const [live, declared] = await Promise.all([readSnapshot(db), readDeclaredFor(db)]);
  return compareSchema(live, tier, declared);
}

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
