import type { Database } from "../../contract/ports.ts";
import { publishedTables, readPlan } from "../batch/plan.ts";
import { definitionsOf, readDeclared, type SchemaObject } from "../declared.ts";
import { type Difference, differenceOf } from "./differences.ts";
import { readSnapshot } from "./snapshot.ts";

interface Adaptations {
  /** Statements that give tables their new columns and indexes. */
  readonly statements: readonly string[];
  /** Tables that differ in more. */
  readonly refused: readonly Difference[];
}

/** Plans the changes of tables that differ from the DDL files, and have rows to keep. */
export async function planAdaptations(
  db: Database,
  differences: readonly Difference[],
): Promise<Adaptations> {
  const live = new Map((await readSnapshot(db)).map((one) => [one.object, one]));
  const declared = new Map(readDeclared().map((one) => [one.object, one]));
  const planned = differences.map((difference) => {
    const [wanted, present] = [declared.get(difference.object), live.get(difference.object)];
    return { difference, commands: wanted && present && commandsFor(wanted, present) };
  });
  return {
    statements: planned.flatMap(({ difference, commands }) =>
      commands ? [`ALTER TABLE ${difference.object} ${commands.join(", ")}`] : [],
    ),
    refused: planned.flatMap(({ difference, commands }) => (commands ? [] : [difference])),
  };
}

/** True for a table that a load computes from the layers below, so that no value is lost with a column. */
const isComputed = (table: string): boolean =>
  publishedTables(readPlan()).some(({ publish }) => publish === table);

/** Returns undefined if the table differs in more than columns and indexes that can come and go. */
function commandsFor(declared: SchemaObject, live: SchemaObject): readonly string[] | undefined {
  const [wanted, present] = [definitionsOf(declared), definitionsOf(live)];
  const added = wanted.filter((column) => !present.map(nameOf).includes(nameOf(column)));
  const dropped = isComputed(declared.object)
    ? present.filter((column) => !wanted.map(nameOf).includes(nameOf(column)))
    : [];
  const kept = present.filter((column) => !dropped.includes(column));
  const columns = added.reduce(
    (all, column) => all.toSpliced(wanted.indexOf(column), 0, column),
    kept,
  );
  if (differenceOf(declared, { ...live, columns, indexes: declared.indexes }) !== "") return;
  return [
    ...without(live.indexes, declared.indexes).map((index) => `DROP INDEX ${nameOf(index)}`),
    ...added.map((column) => `ADD COLUMN ${column} ${placeOf(column, wanted)}`),
    ...dropped.map((column) => `DROP COLUMN ${nameOf(column)}`),
    ...without(declared.indexes, live.indexes).map(
      (index) => `ADD INDEX ${index.replace(/^(\S+) (.*) (TYPE .*)$/, "$1 ($2) $3")}`,
    ),
  ];
}

/** First word of a column or an index. */
const nameOf = (definition: string): string => definition.split(" ")[0] ?? "";

const without = (some: readonly string[], others: readonly string[]): string[] =>
  some.filter((one) => !others.includes(one));

function placeOf(column: string, columns: readonly string[]): string {
  const before = columns[columns.indexOf(column) - 1];
  return before === undefined ? "FIRST" : `AFTER ${nameOf(before)}`;
}
