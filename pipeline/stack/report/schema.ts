import { LAYERS } from "../../../contract/layers.ts";
import { compareSchema, type Declared, type Difference } from "../../schema/compare.ts";
import { isView } from "../../schema/ddl.ts";
import { REBUILDABLE } from "../../schema/rebuild.ts";
import type { SchemaObject } from "../../schema/snapshot.ts";
import { list } from "./sentences.ts";

/** What `ddl` does with a database that has the base's schema, and what it leaves to a person. */
export interface SchemaMeaning {
  readonly created: readonly string[];
  /** Views, materialized ones as well: dropped and created by `ddl` itself. */
  readonly replaced: readonly string[];
  /** Tables that become views: `ddl` drops them with their rows. */
  readonly dropped: readonly string[];
  /** No longer declared: `ddl` does not touch them. */
  readonly left: readonly string[];
  /** Tables of `stg` that differ: nothing brings their rows back. */
  readonly raw: readonly Difference[];
  /** Tables of the derived layers that differ. */
  readonly derived: readonly Difference[];
  /** Tables that the rebuild of the lowest such layer drops, by layer. */
  readonly rebuilt: readonly { readonly layer: string; readonly tables: readonly string[] }[];
  /** What stays away after that rebuild. */
  readonly lost: readonly string[];
  /** Tables whose files changed in nothing that `ddl` compares. */
  readonly unseen: readonly string[];
}

/** @param touched objects that changed DDL files create */
export function meaningOfSchema(
  before: readonly Declared[],
  after: readonly Declared[],
  touched: readonly string[] = [],
): SchemaMeaning {
  const former = engines(before);
  const differences = compareSchema(before, "broker", after);
  const differing = differences.filter(({ what }) => what !== "missing");
  const views = differing.filter(({ engine }) => isView(engine));
  const tables = differing.filter(({ engine }) => !isView(engine));
  const derived = tables.filter((one) => layerOf(one) !== LAYERS[0]);
  const wasView = ({ object }: Difference) => isView(former.get(object) ?? "");
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

const nameOf = ({ object }: { readonly object: string }): string => object;
const layerOf = ({ object }: { readonly object: string }): string => object.split(".")[0] ?? "";

const engines = (schema: readonly SchemaObject[]): Map<string, string> =>
  new Map(schema.map(({ object, engine }) => [object, engine]));

/** A rebuild drops whole layers: also the tables in them that have not changed. */
function rebuiltBy(derived: readonly Difference[], before: readonly SchemaObject[]) {
  const touched = new Set(derived.map(layerOf));
  const lowest = REBUILDABLE.findIndex((layer) => touched.has(layer));
  if (lowest < 0) return [];
  return REBUILDABLE.slice(lowest).map((layer) => ({
    layer,
    tables: before.filter((one) => layerOf(one) === layer && !isView(one.engine)).map(nameOf),
  }));
}

/** The layer below fills a layer anew with what it has itself; what no layer has is gone. */
function lostBy(
  rebuilt: readonly { readonly layer: string; readonly tables: readonly string[] }[],
  before: readonly SchemaObject[],
): string[] {
  const tables = rebuilt.flatMap((one) => one.tables);
  const lost: string[] = [];
  if (rebuilt[0]?.layer === "ods") {
    lost.push(`rows older than ${timeToLive(before)}: \`stg\` no longer holds them`);
  }
  const checks = tables.filter((table) => table === CHECKS);
  return [...lost, ...checks.map((table) => `the former rows of \`${table}\``)];
}

/** A row per check that was made: no layer below has them. */
const CHECKS = "dds.integrity_check";

/** How long `stg` keeps messages, as the base declares it: the least of its tables. */
function timeToLive(schema: readonly SchemaObject[]): string {
  const days = schema
    .filter((one) => layerOf(one) === LAYERS[0])
    .flatMap(({ ttl }) => /toIntervalDay\((\d+)\)/.exec(ttl)?.[1] ?? [])
    .map(Number);
  return days.length > 0 ? `${Math.min(...days)} days` : "the time to live of `stg`";
}

/** Settings of a queue, comments: `ddl` sees no difference, and so leaves what is there. */
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

/** Objects that a DDL text creates. */
export const objectsIn = (text: string): string[] =>
  [...text.matchAll(/^CREATE (?:MATERIALIZED VIEW|VIEW|TABLE) IF NOT EXISTS (\w+\.\w+)/gm)].map(
    ([, object]) => object ?? "",
  );

const explained = (differences: readonly Difference[]): string =>
  differences.map(({ object, what }) => `\`${object}\` (${what})`).join(", ");

export function schemaSentences(meaning: SchemaMeaning): string[] {
  const { created, replaced, dropped, left, raw, unseen: same } = meaning;
  return [
    dropped.length > 0
      ? `:warning: **data would be lost** in ${list(dropped)}: \`ddl\` drops the table and makes a view of its name`
      : "",
    raw.length > 0
      ? `:warning: \`ddl\` leaves ${explained(raw)} and ends with an error until they are altered by hand as sql/ddl/10_stg says; nothing brings their rows back`
      : "",
    ...rebuildSentences(meaning),
    created.length > 0 ? `\`ddl\` creates ${list(created)}` : "",
    replaced.length > 0
      ? `\`ddl\` replaces the views ${list(replaced)}; rows that are written stay as they are`
      : "",
    left.length > 0 ? `no longer declared, and left in the database: ${list(left)}` : "",
    same.length > 0
      ? `the files of ${list(same)} change in nothing that \`ddl\` compares (a comment, a queue's settings): what stands stays as it is`
      : "",
  ].filter((line) => line !== "");
}

function rebuildSentences({ derived, rebuilt, lost }: SchemaMeaning): string[] {
  const [lowest] = rebuilt;
  if (!lowest) return [];
  const counts = rebuilt.map(({ layer, tables }) => `\`${layer}\` ${tables.length}`).join(", ");
  const price = lost.length > 0 ? `; it loses ${lost.join(", and ")}` : "; it loses nothing";
  return [
    `:warning: \`ddl\` leaves ${explained(derived)} and ends with an error until they are altered by hand or rebuilt`,
    `\`pipeline ddl --rebuild ${lowest.layer}\`, then \`make transform\`, empties and fills tables of ${counts} (named below)${price}`,
  ];
}

/** Every table that the rebuild touches, folded. */
export function rebuildDetails({ rebuilt }: SchemaMeaning): string[] {
  if (rebuilt.length === 0) return [];
  return [
    [
      "<details><summary>Tables that the rebuild touches</summary>",
      ...rebuilt.map(({ layer, tables }) => `- ${layer}: ${list(tables)}`),
      "</details>",
    ].join("\n\n"),
  ];
}
