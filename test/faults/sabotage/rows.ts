import type { Database } from "../../../contract/ports.ts";
import { STREAMS, streams } from "../../../contract/streams.ts";
import { type Column, columnsOf } from "../../../warehouse/declared.ts";
import { CHECKED_TABLES } from "../../../warehouse/reconciliation/deep.ts";
import type { Layer } from "../../../warehouse/reconciliation/reconciliation.ts";
import type { Check, Sabotage } from "./sabotage.ts";

interface Target {
  readonly name: string;
  readonly layer: Layer;
  readonly key: readonly string[];
}

const CHECKED: readonly Target[] = CHECKED_TABLES.map(({ name, key }) => ({
  name,
  layer: name.split(".", 1)[0] as Layer,
  key,
}));

const RAW: Target = {
  name: "stg.raw",
  layer: "stg",
  key: ["_topic", "epoch", "_partition", "_offset"],
};

/** Tables whose rows the reconciliation does not count: *_errors beside a typed row, and the summaries. */
const UNCOUNTED = /_errors$|^dm\.(dq_summary|complete_period)$/;

const countedBy = ({ name }: Target): readonly Check[] =>
  UNCOUNTED.test(name) ? ["deep"] : ["prove", "deep"];

/** Moves one row of the table, chosen by the seed, to `kept.chosen_…`. */
async function choose(
  db: Database,
  { name, key }: Target,
  seed: string,
  where = "true",
): Promise<string> {
  const chosen = `kept.chosen_${name.replace(".", "_")}`;
  await db.run(`CREATE TABLE IF NOT EXISTS ${chosen} AS ${name}`);
  await db.run(`TRUNCATE TABLE ${chosen}`);
  await db.run(
    `INSERT INTO ${chosen} SELECT * FROM ${name} WHERE ${where}
     ORDER BY cityHash64({seed:String}, ${key.join(", ")}) LIMIT 1`,
    { seed },
  );
  const [row] = await db.rows<{ rows: number }>(`SELECT count() AS rows FROM ${chosen}`);
  if (row?.rows !== 1) throw new Error(`${name} has no row to choose`);
  return chosen;
}

const deleteChosen = (db: Database, { name, key }: Target, chosen: string) =>
  db.run(
    `DELETE FROM ${name} WHERE (${key.join(", ")}) IN (SELECT ${key.join(", ")} FROM ${chosen})`,
  );

const EPOCHS = [
  { which: "latest", where: "epoch = (SELECT max(epoch) FROM stg.epoch)" },
  { which: "earlier", where: "epoch < (SELECT max(epoch) FROM stg.epoch)" },
] as const;

export const deletedRows = (seed: string): Sabotage[] => [
  ...CHECKED.filter(({ layer }) => layer === "ods").flatMap((target) =>
    EPOCHS.map(({ which, where }) =>
      deletedRow(target, seed, ` of the ${which} epoch`, where, countedBy(target)),
    ),
  ),
  ...CHECKED.filter(({ layer }) => layer !== "ods").map((target) =>
    deletedRow(target, seed, "", "true", countedBy(target)),
  ),
  // The first messages of a partition may be past their time to live.
  ...STREAMS.flatMap((stream) =>
    EPOCHS.map(({ which, where }) => {
      const chosen = `_topic = '${streams[stream].topic}' AND ${where} AND _offset > 20`;
      return deletedRow(RAW, seed, `: ${stream} of the ${which} epoch`, chosen, ["prove"]);
    }),
  ),
];

const deletedRow = (
  target: Target,
  seed: string,
  which: string,
  where: string,
  foundBy: readonly Check[],
): Sabotage => ({
  kind: "row deleted",
  name: `${target.name}${which}`,
  layer: target.layer,
  foundBy,
  touches: [target.name],
  run: async (db) => deleteChosen(db, target, await choose(db, target, seed, where)),
});

export const doubledRows = (seed: string): Sabotage[] =>
  CHECKED.map((target) => ({
    kind: "row doubled",
    name: target.name,
    layer: target.layer,
    foundBy: countedBy(target),
    touches: [target.name],
    run: async (db) => {
      const where = target.layer === "ods" ? EPOCHS[0].where : "true";
      const chosen = await choose(db, target, seed, where);
      await db.run(`INSERT INTO ${target.name} SELECT * FROM ${chosen}`);
    },
  }));

/** Columns of a table that contain a row's day. */
const DAYS: Record<string, readonly string[]> = {
  "dds.event": ["event_timestamp"],
  "dm.event_enriched": ["event_timestamp", "event_date"],
  "dm.page_view": ["event_timestamp", "event_date"],
  "dm.session": ["started_at", "ended_at", "session_date"],
  "dm.visitor": ["first_seen", "last_seen", "first_date"],
};

export const movedRows = (seed: string): Sabotage[] =>
  CHECKED.filter(({ name, layer }) => layer === "ods" || name in DAYS).map((target) => {
    const columns = DAYS[target.name] ?? ["emitted_at"];
    return {
      kind: "row moved to another day",
      name: target.name,
      layer: target.layer,
      foundBy: ["deep"],
      touches: [target.name],
      run: (db: Database) =>
        rewrite(
          db,
          target,
          seed,
          columns.map((name) => `${name} + INTERVAL 1 DAY AS ${name}`),
          `isNotNull(${columns[0]})`,
        ),
    };
  });

/** One changed value, for every column of every table that the deep check compares. */
export const changedValues = (seed: string): Sabotage[] =>
  CHECKED.flatMap((target) =>
    columnsOf(target.name)
      .filter(isCompared)
      .map((column) => ({
        kind: "value changed",
        name: `${target.name}.${column.name}`,
        layer: target.layer,
        foundBy: ["deep" as const],
        touches: [target.name],
        run: (db: Database) =>
          rewrite(db, target, seed, [`${otherValue(column)} AS ${column.name}`]),
      })),
  );

/** The time at which a summary was computed has no right value. */
const isCompared = ({ name }: Column): boolean => name !== "computed_at";

/** A row with the id of another committed load, in every table with loads. */
export const otherLoads = (seed: string): Sabotage[] =>
  CHECKED.filter(({ layer }) => layer === "ods").flatMap((target) =>
    (["max", "min"] as const).map((end) => {
      const load = `(SELECT ${end}(load_id) FROM ods.load_commit)`;
      return {
        kind: "load of a row changed",
        name: `${target.name}, to the ${end === "max" ? "latest" : "first"}`,
        layer: target.layer,
        foundBy: ["deep"],
        touches: [target.name],
        run: (db: Database) =>
          rewrite(db, target, seed, [`${load} AS load_id`], `load_id != ${load}`),
      };
    }),
  );

async function rewrite(
  db: Database,
  target: Target,
  seed: string,
  values: readonly string[],
  where?: string,
): Promise<void> {
  const chosen = await choose(db, target, seed, where);
  await deleteChosen(db, target, chosen);
  await db.run(`INSERT INTO ${target.name} SELECT * REPLACE (${values.join(", ")}) FROM ${chosen}`);
}

/** Another value of the same type: the smallest possible change. */
function otherValue({ name, type }: Column): string {
  const plain = type.replace(/^Nullable\((.*)\)$/, "$1").replace(/^LowCardinality\((.*)\)$/, "$1");
  const other = OTHERS.find(([pattern]) => pattern.test(plain))?.[1](name);
  if (other === undefined) throw new Error(`no other value of ${type} is known (${name})`);
  return type.startsWith("Nullable(")
    ? `if(isNull(${name}), ${someValue(plain)}, ${other})`
    : other;
}

const OTHERS: readonly [RegExp, (name: string) => string][] = [
  [/^Array/, (name) => `arrayConcat(${name}, ['changed'])`],
  [/^Bool/, (name) => `NOT ${name}`],
  [/^(Float64|Decimal)/, (name) => `${name} + 0.001`],
  [/^U?Int/, (name) => `${name} + 1`],
  [/^Date/, (name) => `${name} + 1`],
  [/^String/, (name) => `concat(${name}, ' ')`],
  [/^UUID/, () => "generateUUIDv4()"],
];

const someValue = (type: string): string => {
  if (type.startsWith("UUID")) return "generateUUIDv4()";
  if (type.startsWith("DateTime64")) return "now64(6)";
  return type === "Bool" ? "false" : "0";
};
