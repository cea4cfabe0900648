import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { sideBySide } from "../database/side-by-side.ts";
import { createdObjects } from "../ddl-files.ts";
import { columnsOf, readDeclared } from "../declared.ts";
import { literal } from "../sql.ts";

interface DescribedObject {
  readonly object: string;
  readonly comment: string;
  readonly columns: readonly (readonly [name: string, comment: string])[];
}

/** Writes the meanings of tables, views and columns into the database, if they changed. */
export async function applyComments(db: Database): Promise<void> {
  const described = await db.rows<DescribedObject>(DESCRIBED, { objects: createdObjects() });
  const statements = described.map((one) => ({ object: one.object, changes: commentChanges(one) }));
  await sideBySide(
    statements
      .filter(({ changes }) => changes.length > 0)
      .map(({ object, changes }) => db.run(`ALTER TABLE ${object} ${changes.join(", ")}`)),
  );
}

function commentChanges({ object, comment, columns }: DescribedObject): string[] {
  const wanted = objectDescription(object);
  return [
    ...(wanted === comment ? [] : [`MODIFY COMMENT ${literal(wanted)}`]),
    ...columns
      .map(([name, present]) => ({ name, present, meaning: columnDescription(object, name) }))
      .filter(({ present, meaning }) => present !== meaning)
      .map(({ name, meaning }) => `COMMENT COLUMN \`${name}\` ${literal(meaning)}`),
  ];
}

const DESCRIBED = `
  SELECT concat(database, '.', table) AS object, any(tables.comment) AS comment,
    groupArray((columns.name, columns.comment)) AS columns
  FROM system.columns AS columns
  JOIN system.tables AS tables ON tables.database = columns.database AND tables.name = columns.table
  WHERE object IN {objects:Array(String)} AND object != 'stg.queue'
  GROUP BY object
  ORDER BY object`;

/** Returns the COMMENT of a table or view; empty for an object of the user. */
export const objectDescription = (object: string): string =>
  readDeclared().find((declared) => declared.object === object)?.comment ?? "";

/**
 * Returns the COMMENT of a column. A column without one means what the files of `sql/ddl` before it say of its
 * name: the first of its layer, else of the next layer below, else the field of the messages.
 */
export const columnDescription = (object: string, column: string): string =>
  readDescriptions().get(object)?.get(column) ?? "";

type Descriptions = ReadonlyMap<string, ReadonlyMap<string, string>>;

let descriptions: Descriptions | undefined;

/** Reads the descriptions once, by object and column. */
const readDescriptions = (): Descriptions => {
  descriptions ??= describeAll();
  return descriptions;
};

function describeAll(): Descriptions {
  const meanings = new Map(DATABASES.map((layer) => [layer, new Map<string, string>()]));
  const describe = (object: string) => {
    const [own, ...below] = layersDownFrom(object).map((layer) => meanings.get(layer));
    return columnsOf(object).map(({ name, comment }) => {
      if (comment !== "" && !own?.has(name)) own?.set(name, comment);
      // The engine names the fields of a payload so.
      const field = name.replace(/^field[.]/, "");
      const nearest = [own, ...below].find((layer) => layer?.has(field))?.get(field);
      return [name, comment || nearest || FIELDS.get(field) || ""] as const;
    });
  };
  return new Map(createdObjects().map((object) => [object, new Map(describe(object))]));
}

/** Returns the layer of an object and those below it, the nearest first. */
function layersDownFrom(object: string): (typeof DATABASES)[number][] {
  const downwards = DATABASES.toReversed();
  return downwards.slice(downwards.findIndex((layer) => object.startsWith(`${layer}.`)));
}

const FIELDS: ReadonlyMap<string, string> = new Map(
  STREAMS.flatMap((stream) =>
    Object.entries(streams[stream].fields).map(([name, { description }]) => [name, description]),
  ),
);
