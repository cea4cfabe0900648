import { STREAMS } from "../../../contract/streams.ts";
import { messageTables } from "../../../warehouse/sql.ts";
import { type Sabotage, statements } from "./sabotage.ts";

const both = ["prove", "deep"] as const;

const truncated = (...tables: readonly string[]) =>
  statements(...tables.map((table) => `TRUNCATE TABLE ${table}`));

const emptied = (
  layer: Sabotage["layer"],
  foundBy: Sabotage["foundBy"],
  tables: readonly string[],
): Sabotage => ({
  kind: "table emptied",
  name: tables.join(", "),
  layer,
  foundBy,
  touches: tables,
  run: truncated(...tables),
});

const DDS = ["dds.event", "dds.click"];
const DM = ["dm.event_enriched", "dm.session", "dm.page_view", "dm.visitor", "dm.dq_summary"];

/** Tables emptied alone, together, and with their commits. */
export const emptiedTables = (): Sabotage[] => [
  ...STREAMS.map((stream) => emptied("ods", both, [`ods.${messageTables(stream).typed}`])),
  ...STREAMS.map((stream) => emptied("ods", ["deep"], [`ods.${messageTables(stream).errors}`])),
  emptied("dds", both, ["dds.event"]),
  emptied("dds", both, ["dds.click"]),
  emptied("dds", both, DDS),
  emptied("dds", ["prove"], [...DDS, "dds.load_commit"]),
  emptied("dds", ["prove"], [...DDS, "dds.load_commit", ...DM, "dm_internal.load_commit"]),
  emptied("dm", both, ["dm.event_enriched"]),
  emptied("dm", both, ["dm.session"]),
  emptied("dm", both, ["dm.visitor"]),
  emptied("dm", both, ["dm.page_view"]),
  emptied("dm", ["deep"], ["dm.dq_summary"]),
  emptied("dm", ["deep"], ["dm.complete_period"]),
  emptied("dm", ["prove"], [...DM, "dm_internal.load_commit"]),
  emptied(
    "ods",
    ["prove"],
    [
      ...STREAMS.flatMap((stream) => {
        const { typed, errors } = messageTables(stream);
        return [`ods.${typed}`, `ods.${errors}`];
      }),
      ...[
        "ods.load_range",
        "ods.load_commit",
        "dds.load_commit",
        "dm_internal.load_commit",
        ...DDS,
        ...DM,
      ],
    ],
  ),
  emptied("stg", ["prove"], ["stg.raw"]),
];

/** Load ids from the latest (1) backwards. */
const nthLoad = (table: string, n: number, where = "true"): string =>
  `(SELECT arrayReverseSort(groupUniqArray(load_id))[${n}] FROM ${table} WHERE ${where})`;

const commit = (
  what: string,
  layer: Sabotage["layer"],
  table: string,
  foundBy: Sabotage["foundBy"],
  sql: string,
): Sabotage => ({
  kind: what.startsWith("added") ? "commit row added" : "commit row removed",
  name: `${table}: ${what}`,
  layer,
  foundBy,
  spreads: true,
  touches: [table],
  run: statements(sql),
});

/** Rows of the tables of loads, removed or added. */
export const changedCommits = (): Sabotage[] => [
  ...[1, 2, 3].map((n) =>
    commit(
      `removed, load ${n} from the end`,
      "ods",
      "ods.load_commit",
      both,
      `DELETE FROM ods.load_commit WHERE load_id = ${nthLoad("ods.load_commit", n)}`,
    ),
  ),
  ...[1, 2].map((n) =>
    commit(
      `removed, load ${n} from the end`,
      "dds",
      "dds.load_commit",
      n === 1 ? both : ["deep"],
      `DELETE FROM dds.load_commit WHERE load_id = ${nthLoad("dds.load_commit", n)}`,
    ),
  ),
  ...["event_enriched", "session", "visitor", "dq_summary"].map((target) =>
    commit(
      `removed, ${target}`,
      "dm",
      "dm_internal.load_commit",
      ["prove"],
      `DELETE FROM dm_internal.load_commit WHERE target = '${target}'
       AND load_id = ${nthLoad("dm_internal.load_commit", 1, `target = '${target}'`)}`,
    ),
  ),
  commit(
    "added",
    "ods",
    "ods.load_commit",
    both,
    "INSERT INTO ods.load_commit (load_id) SELECT max(load_id) + 1 FROM ods.load_commit",
  ),
  commit(
    "added",
    "dds",
    "dds.load_commit",
    both,
    "INSERT INTO dds.load_commit (load_id, lease_id) SELECT max(load_id) + 1, max(lease_id) + 1 FROM dds.load_commit",
  ),
  ...["event_enriched", "session", "visitor"].map((target) =>
    commit(
      `added, ${target}`,
      "dm",
      "dm_internal.load_commit",
      both,
      `INSERT INTO dm_internal.load_commit (target, load_id, lease_id)
       SELECT '${target}', max(load_id) + 1, max(lease_id) + 1 FROM dm_internal.load_commit`,
    ),
  ),
];

/** Ranges that were never loaded, missing rows of a partition, and offsets of two loads. */
export const skippedPartitions = (): Sabotage[] =>
  STREAMS.flatMap((stream): Sabotage[] => {
    const { typed, errors } = messageTables(stream);
    const rows = [`ods.${typed}`, `ods.${errors}`];
    const range = `stream = '${stream}' AND _partition = 1`;
    const first = `load_id = (SELECT min(load_id) FROM ods.load_commit)`;
    return [
      {
        kind: "partition skipped",
        name: `rows of ${stream}`,
        layer: "ods",
        foundBy: both,
        touches: rows,
        run: statements(...rows.map((table) => `DELETE FROM ${table} WHERE _partition = 1`)),
      },
      {
        kind: "partition skipped",
        name: `rows of one load and their range of ${stream}`,
        layer: "ods",
        foundBy: both,
        spreads: true,
        touches: [...rows, "ods.load_range"],
        run: statements(
          ...rows.map((table) => `DELETE FROM ${table} WHERE _partition = 1 AND ${first}`),
          `DELETE FROM ods.load_range WHERE ${range} AND ${first}`,
        ),
      },
      {
        kind: "partition skipped",
        name: `range of ${stream} alone`,
        layer: "ods",
        foundBy: ["deep"],
        spreads: true,
        touches: ["ods.load_range"],
        run: statements(`DELETE FROM ods.load_range WHERE ${range} AND ${first}`),
      },
    ];
  });

/** The next load would skip later messages. */
export const movedWatermarks = (): Sabotage[] => [
  ...STREAMS.map(
    (stream): Sabotage => ({
      kind: "watermark moved",
      name: stream,
      layer: "ods",
      foundBy: ["deep"],
      touches: ["ods.load_range"],
      run: statements(
        "CREATE OR REPLACE TABLE kept.moved AS ods.load_range",
        `INSERT INTO kept.moved SELECT * REPLACE
           (if(stream = '${stream}' AND load_id = ${nthLoad("ods.load_commit", 1)}, offset_to + 20, offset_to) AS offset_to)
         FROM ods.load_range`,
        "TRUNCATE TABLE ods.load_range",
        "INSERT INTO ods.load_range SELECT * FROM kept.moved",
      ),
    }),
  ),
  {
    kind: "watermark moved",
    name: "of a partition without messages",
    layer: "ods",
    foundBy: ["deep"],
    touches: ["ods.load_range"],
    run: statements(
      `INSERT INTO ods.load_range SELECT * REPLACE (7 AS _partition, -1 AS offset_from) FROM ods.load_range LIMIT 1`,
    ),
  },
];

/** The gate would stop the next load of dm. */
export const changedChecks = (): Sabotage[] =>
  (["orphan_events", "events", "clicks"] as const).map((column) => ({
    kind: "check of the gate changed",
    name: column,
    layer: "dds",
    foundBy: ["prove"],
    touches: ["dds.integrity_check"],
    run: statements(
      `INSERT INTO dds.integrity_check SELECT * REPLACE (${column} + 1 AS ${column}, checked_at + 1 AS checked_at)
       FROM dds.integrity_check ORDER BY checked_at DESC LIMIT 1`,
    ),
  }));

/** The second load of the first epoch left out the messages of a stream, which still wait. */
export const untypedBatches = (): Sabotage[] =>
  STREAMS.map((stream): Sabotage => {
    const { typed, errors } = messageTables(stream);
    const rows = [`ods.${typed}`, `ods.${errors}`];
    const second = `load_id = ${nthLoad("ods.load_commit", 2)}`;
    return {
      kind: "batch of an earlier epoch never typed",
      name: stream,
      layer: "ods",
      foundBy: ["prove"],
      touches: [...rows, "ods.load_range"],
      run: statements(
        ...rows.map((table) => `DELETE FROM ${table} WHERE ${second}`),
        `DELETE FROM ods.load_range WHERE stream = '${stream}' AND ${second}`,
      ),
    };
  });

/** Unregistered epochs. */
export const unknownEpochs = (): Sabotage[] => [
  {
    kind: "epoch not registered",
    name: "the latest",
    layer: "stg",
    foundBy: ["prove"],
    touches: ["stg.epoch"],
    run: statements("DELETE FROM stg.epoch WHERE epoch = (SELECT max(epoch) FROM stg.epoch)"),
  },
  {
    kind: "epoch not registered",
    name: "the first",
    layer: "stg",
    foundBy: ["prove"],
    touches: ["stg.epoch"],
    run: statements("DELETE FROM stg.epoch WHERE epoch = (SELECT min(epoch) FROM stg.epoch)"),
  },
  ...STREAMS.map(
    (stream): Sabotage => ({
      kind: "epoch not registered",
      name: `new messages of ${stream}`,
      layer: "stg",
      foundBy: ["prove"],
      touches: ["stg.raw", "stg.epoch"],
      // A new epoch registers itself.
      run: statements(
        `INSERT INTO stg.raw SELECT * REPLACE (stored.epoch + 1 AS epoch)
         FROM stg.raw AS stored WHERE _topic = '${stream}_events' AND stored.epoch = (SELECT max(epoch) FROM stg.epoch)`,
        "DELETE FROM stg.epoch WHERE epoch = (SELECT max(epoch) FROM stg.epoch)",
      ),
    }),
  ),
];
