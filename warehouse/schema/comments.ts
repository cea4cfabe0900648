import type { Database } from "../../contract/ports.ts";
import { literal } from "../sql.ts";
import { columnDescription, objectDescription, targetOf } from "./descriptions.ts";

interface DescribedObject {
  readonly object: string;
  readonly comment: string;
  readonly columns: readonly (readonly [name: string, comment: string])[];
}

/** Writes the meanings of tables, views and columns into the database, if they changed. */
export async function applyComments(db: Database): Promise<void> {
  for (const table of await db.rows<DescribedObject>(DESCRIBED)) {
    const changes = [...tableChanges(table), ...columnChanges(table)];
    if (changes.length > 0) await db.run(`ALTER TABLE ${table.object} ${changes.join(", ")}`);
  }
}

const DESCRIBED = `
  SELECT concat(database, '.', table) AS object, any(tables.comment) AS comment,
    groupArray((columns.name, columns.comment)) AS columns
  FROM system.columns AS columns
  JOIN system.tables AS tables ON tables.database = columns.database AND tables.name = columns.table
  WHERE database IN ('ods', 'dds', 'dm', 'dm_internal')
  GROUP BY object
  ORDER BY object`;

function tableChanges({ object, comment }: DescribedObject): string[] {
  const meaning = objectDescription(object);
  return meaning === comment ? [] : [`MODIFY COMMENT ${literal(meaning)}`];
}

function columnChanges({ object, columns }: DescribedObject): string[] {
  const target = targetOf(object);
  return columns
    .map(([name, present]) => ({ name, present, wanted: columnDescription(target, name) }))
    .filter(({ present, wanted }) => present !== wanted)
    .map(({ name, wanted }) => `COMMENT COLUMN ${name} ${literal(wanted)}`);
}
