import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../contract/errors.ts";
import { ddlFiles, type Tier } from "./ddl-files.ts";
import { SQL_ROOT } from "./sql.ts";

/** A table, view or function as the database describes it, without differences between servers. */
export interface SchemaObject {
  readonly object: string;
  /** FUNCTION for a function. */
  readonly engine: string;
  readonly comment: string;
  /** Arguments of a MergeTree engine; those of other engines contain addresses. */
  readonly engineArguments: string;
  /** Table into which a materialized view writes. */
  readonly target: string;
  /** In the order of the table: definition, then COMMENT if the column has one. */
  readonly columns: readonly string[];
  /** Data-skipping indexes: name, expression, type and granularity. */
  readonly indexes: readonly string[];
  readonly partitionKey: string;
  readonly sortingKey: string;
  readonly ttl: string;
  /** Settings of a MergeTree table, `name = value`; those of other engines contain addresses. */
  readonly settings: readonly string[];
  /** Query of a view or definition of a function, as a server formats it. */
  readonly query: string;
}

/** What the DDL files create, recorded from the engine; a test compares it. */
export const DECLARED_PATH = join(SQL_ROOT, "schema.json");

export type DeclaredObject = SchemaObject & { readonly tier: Tier };

export interface DeclaredSchema {
  /** Digest of the DDL files that were recorded. */
  readonly ddl: string;
  /** Digest of the tables with rows, without comments, by which a snapshot names its version. */
  readonly tables: string;
  readonly objects: readonly DeclaredObject[];
}

/** What the record leaves out of an object. */
const EMPTY = {
  comment: "",
  engineArguments: "",
  target: "",
  columns: [],
  indexes: [],
  partitionKey: "",
  sortingKey: "",
  ttl: "",
  settings: [],
  query: "",
};

/** Returns the text of the file. */
export const recordOf = (schema: DeclaredSchema): string =>
  `${JSON.stringify(schema, (_, value) => (value?.length === 0 ? undefined : value), 2)}\n`;

let declared: DeclaredSchema | undefined;

/** Reads the file once: the comments of `ddl` ask for each object. */
function readSchema(): DeclaredSchema {
  if (declared !== undefined) return declared;
  const { objects, ...digests } = JSON.parse(readFileSync(DECLARED_PATH, "utf8"));
  const whole = objects.map((object: Partial<DeclaredObject>) => ({ ...EMPTY, ...object }));
  declared = { ...digests, objects: whole } as DeclaredSchema;
  return declared;
}

export const readDeclared = (): readonly DeclaredObject[] => readSchema().objects;

export const tablesVersion = (): string => readSchema().tables;

const digestOf = (value: object): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);

export const ddlDigest = (): string => digestOf(ddlFiles());

/** Returns the record of what the DDL files create. */
export const schemaOf = (objects: readonly DeclaredObject[]): DeclaredSchema => ({
  ddl: ddlDigest(),
  tables: digestOf(
    objects
      .filter(({ engine }) => engine.endsWith("MergeTree"))
      .map(({ comment: _, tier, ...table }) => ({ ...table, columns: definitionsOf(table) })),
  ),
  objects,
});

/** Returns columns without their comments, which `ddl` writes itself. */
export const definitionsOf = ({ columns }: Pick<SchemaObject, "columns">): string[] =>
  columns.map((column) => column.split(COMMENT)[0] ?? "");

/** @throws UserError if the DDL files were changed since they were recorded */
export function requireRecorded(): void {
  if (readSchema().ddl === ddlDigest()) return;
  throw new UserError(
    "sql/schema.json does not describe sql/ddl as it is now",
    "run `npm run record-schema`",
  );
}

export interface Column {
  readonly name: string;
  readonly type: string;
  /** Empty if the DDL gives none. */
  readonly comment: string;
}

export function columnsOf(table: string): Column[] {
  const found = readDeclared().find(({ object }) => object === table);
  if (!found) throw new Error(`${table} is not in sql/schema.json`);
  return found.columns.map((column) => {
    const [definition = "", ...comment] = column.split(COMMENT);
    const [name = "", ...rest] = definition.split(" ");
    const type = rest.join(" ").replace(/ (DEFAULT|CODEC) ?.*$/, "");
    return { name, type, comment: comment.join(COMMENT) };
  });
}

/** Engine of a function, which has none. */
export const FUNCTION = "Function";

/** Separates the definition of a column from its comment. */
export const COMMENT = " -- ";
