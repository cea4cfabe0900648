import type { Database } from "../../contract/ports.ts";
import { columnMeaning, objectMeaning } from "./meanings.ts";

interface Described {
  readonly object: string;
  readonly comment: string;
  readonly columns: readonly (readonly [name: string, comment: string])[];
}

/** Writes the meanings of tables, views and columns into the database; unchanged ones cost nothing. */
export async function applyComments(db: Database): Promise<void> {
  for (const table of await db.rows<Described>(DESCRIBED)) {
    const changes = changesOf(table);
    if (changes.length > 0) await db.run(`ALTER TABLE ${table.object} ${changes.join(", ")}`);
  }
}

/** Materialized views have no reader: their target tables are described. */
const DESCRIBED = `
  SELECT concat(database, '.', table) AS object, any(tables.comment) AS comment,
    groupArray((columns.name, columns.comment)) AS columns
  FROM system.columns AS columns
  JOIN system.tables AS tables ON tables.database = columns.database AND tables.name = columns.table
  WHERE database IN ('ods', 'dds', 'dm') AND engine NOT IN ('MaterializedView', 'Null')
  GROUP BY object
  ORDER BY object`;

function changesOf({ object, comment, columns }: Described): string[] {
  const meaning = objectMeaning(object);
  const target = object.replace(/_build$/, "");
  return [
    ...(meaning === comment ? [] : [`MODIFY COMMENT ${literal(meaning)}`]),
    ...columns
      .map(([name, present]) => ({ name, present, wanted: columnMeaning(target, name) }))
      .filter(({ present, wanted }) => present !== wanted)
      .map(({ name, wanted }) => `COMMENT COLUMN ${name} ${literal(wanted)}`),
  ];
}

const literal = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
