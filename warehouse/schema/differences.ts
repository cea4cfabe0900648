import type { Database } from "../../contract/ports.ts";
import { literal, type Tier } from "../sql.ts";
import { compareSchema, type DeclaredObject, type Difference, readDeclared } from "./compare.ts";
import { formatted, readSnapshot } from "./snapshot.ts";

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
