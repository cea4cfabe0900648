import { LAYERS, layerOf as layerOfObject } from "../../contract/layers.ts";
import {
  compareSchema,
  type DeclaredObject,
  type Difference,
} from "../../warehouse/schema/compare.ts";
import { isView } from "../../warehouse/schema/ddl.ts";
import { REBUILDABLE } from "../../warehouse/schema/rebuild.ts";
import type { SchemaObject } from "../../warehouse/schema/snapshot.ts";
import type { ReadText } from "./program.ts";
import { list } from "./summary.ts";

/** Effect of `ddl` on a database with the base's schema, and the operator's work. */
export interface SchemaImpact {
  readonly created: readonly string[];
  /** Views, also materialized ones: `ddl` drops and creates them. */
  readonly replaced: readonly string[];
  /** Tables that become views: `ddl` drops them with their rows. */
  readonly dropped: readonly string[];
  /** Tables that are no longer declared: `ddl` keeps them. */
  readonly left: readonly string[];
  readonly raw: readonly Difference[];
  readonly derived: readonly Difference[];
  /** Tables that a rebuild from the lowest changed layer drops, by layer. */
  readonly rebuilt: readonly { readonly layer: string; readonly tables: readonly string[] }[];
  readonly lost: readonly string[];
  /** Tables with changes that `ddl` does not compare. */
  readonly unseen: readonly string[];
}

const SCHEMA = "sql/schema.json";

/** Compares the schemas of two versions. @param ddl files that differ between both versions */
export function compareSchemas(
  before: ReadText,
  after: ReadText,
  ddl: readonly string[],
): SchemaImpact {
  const schemaOf = (read: ReadText) => JSON.parse(read(SCHEMA) ?? "[]") as DeclaredObject[];
  const touched = ddl.flatMap((path) => objectsIn(after(path) ?? ""));
  return schemaImpact(schemaOf(before), schemaOf(after), touched);
}

export function schemaImpact(
  base: readonly DeclaredObject[],
  head: readonly DeclaredObject[],
  touched: readonly string[] = [],
): SchemaImpact {
  const [before, after] = [base.filter(isOfStack), head.filter(isOfStack)];
  const previous = engines(before);
  const differences = compareSchema(before, "broker", after);
  const differing = differences.filter(({ what }) => what !== "missing");
  const views = differing.filter(({ engine }) => isView(engine));
  const tables = differing.filter(({ engine }) => !isView(engine));
  const derived = tables.filter((one) => layerOf(one) !== LAYERS[0]);
  const wasView = ({ object }: Difference) => isView(previous.get(object) ?? "");
  const rebuilt = rebuiltBy(derived, before);
  return {
    created: differences.filter(({ what }) => what === "missing").map(nameOf),
    replaced: views.filter(wasView).map(nameOf),
    dropped: views.filter((one) => !wasView(one)).map(nameOf),
    left: before.map(nameOf).filter((name) => !engines(after).has(name)),
    raw: tables.filter((one) => layerOf(one) === LAYERS[0]),
    derived,
    rebuilt,
    lost: lostBy(rebuilt, before),
    unseen: unseen(touched, after, differences),
  };
}

/** True for the tiers of a stack; the tables of the tier `service` hold no rows. */
const isOfStack = ({ tier }: DeclaredObject): boolean => tier !== "service";

const nameOf = ({ object }: { readonly object: string }): string => object;
const layerOf = ({ object }: { readonly object: string }): string => layerOfObject(object);

const engines = (schema: readonly SchemaObject[]): Map<string, string> =>
  new Map(schema.map(({ object, engine }) => [object, engine]));

/** Returns the tables to rebuild: whole layers, including unchanged tables. */
function rebuiltBy(derived: readonly Difference[], before: readonly SchemaObject[]) {
  const touched = new Set(derived.map(layerOf));
  const lowest = REBUILDABLE.findIndex((layer) => touched.has(layer));
  if (lowest < 0) return [];
  return REBUILDABLE.slice(lowest).map((layer) => ({
    layer,
    tables: before.filter((one) => layerOf(one) === layer && !isView(one.engine)).map(nameOf),
  }));
}

/** Returns tables with rows that no lower layer has, which a rebuild loses. */
function lostBy(
  rebuilt: readonly { readonly layer: string; readonly tables: readonly string[] }[],
  before: readonly SchemaObject[],
): string[] {
  const tables = rebuilt.flatMap((one) => one.tables);
  const lost: string[] = [];
  if (rebuilt[0]?.layer === "ods") {
    lost.push(`rows older than ${timeToLive(before)}, which \`stg\` no longer has`);
  }
  const checks = tables.filter((table) => table === CHECKS);
  return [...lost, ...checks.map((table) => `the previous rows of \`${table}\``)];
}

/** Table with one row per completed check, which no lower layer has. */
const CHECKS = "dds.integrity_check";

/** Returns the shortest retention of the tables. */
function timeToLive(schema: readonly SchemaObject[]): string {
  const days = schema
    .filter((one) => layerOf(one) === LAYERS[0])
    .flatMap(({ ttl }) => /toIntervalDay\((\d+)\)/.exec(ttl)?.[1] ?? [])
    .map(Number);
  return days.length > 0 ? `${Math.min(...days)} days` : "the time to live of `stg`";
}

/** Returns tables with new queue settings or comments, which `ddl` does not compare or apply. */
function unseen(
  touched: readonly string[],
  after: readonly SchemaObject[],
  differences: readonly Difference[],
): string[] {
  const seen = new Set(differences.map(nameOf));
  return after
    .filter(
      ({ object, engine }) => touched.includes(object) && !isView(engine) && !seen.has(object),
    )
    .map(nameOf);
}

export const objectsIn = (text: string): string[] =>
  [...text.matchAll(/^CREATE (?:MATERIALIZED VIEW|VIEW|TABLE) IF NOT EXISTS (\w+\.\w+)/gm)].map(
    ([, object]) => object ?? "",
  );

const explained = (differences: readonly Difference[]): string =>
  differences.map(({ object, what }) => `\`${object}\` (${what})`).join(", ");

export const tableLoss = ({ dropped, rebuilt, lost }: SchemaImpact): string[] => [
  ...(dropped.length > 0
    ? [`:warning: rows of ${list(dropped)}: \`ddl\` drops the table and creates a view of its name`]
    : []),
  ...lost.map((rows) => `a rebuild of \`${rebuilt[0]?.layer}\` deletes ${rows}`),
];

export function schemaSentences(impact: SchemaImpact): string[] {
  const { created, replaced, left, raw, unseen: same } = impact;
  return [
    raw.length > 0
      ? `:warning: \`ddl\` fails on ${explained(raw)}: alter the table by hand as sql/ddl/10_stg describes; its rows cannot be rebuilt`
      : "",
    ...rebuildSentences(impact),
    created.length > 0 ? `\`ddl\` creates ${list(created)}` : "",
    replaced.length > 0
      ? `\`ddl\` replaces the views ${list(replaced)}; stored rows do not change`
      : "",
    left.length > 0 ? `no longer declared, but kept in the database: ${list(left)}` : "",
    same.length > 0
      ? `existing tables ${list(same)} do not change: \`ddl\` does not compare comments and queue settings`
      : "",
  ].filter((line) => line !== "");
}

function rebuildSentences({ derived, rebuilt }: SchemaImpact): string[] {
  const [lowest] = rebuilt;
  if (!lowest) return [];
  const counts = rebuilt.map(({ layer, tables }) => `\`${layer}\` (${tables.length})`).join(", ");
  return [
    `:warning: \`ddl\` fails on ${explained(derived)}: alter the tables by hand, or rebuild them`,
    `\`pipeline ddl --rebuild ${lowest.layer}\`, then \`make transform\`, rebuilds the tables of ${counts}`,
  ];
}

export function rebuildDetails({ rebuilt }: SchemaImpact): string[] {
  if (rebuilt.length === 0) return [];
  return [
    [
      "<details><summary>Tables that a rebuild deletes and refills</summary>",
      ...rebuilt.map(({ layer, tables }) => `- ${layer}: ${list(tables)}`),
      "</details>",
    ].join("\n\n"),
  ];
}
