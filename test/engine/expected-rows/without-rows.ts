/** Files of `sql/` without expected rows here, by reason. A path that ends with `/` is a folder. */
export const WITHOUT_ROWS: readonly { reason: string; files: readonly string[] }[] = [
  {
    reason: "lists names: ddl/40_dm/01_functions.yaml expects channels of some",
    files: ["ddl/40_dm/05_referring_site.sql"],
  },
  {
    reason: "reads files: test/engine/imports and sources.test.ts expect their messages and rows",
    files: ["import/", "sources/"],
  },
  {
    reason: "reads what trackers send: test/engine/collector.test.ts expects its rows",
    files: ["deliver/", "hits/"],
  },
  {
    reason: "gets the SELECT that types messages: test/faults/deep.test.ts",
    files: ["checks/deep/messages.sql"],
  },
  {
    reason: "shows the last minutes: test/engine/live.test.ts compares them with the marts",
    files: [
      "ddl/40_dm/80_v_live_events.sql",
      "ddl/40_dm/81_v_live_minutes.sql",
      "ddl/40_dm/82_v_live_now.sql",
      "live/recent.sql",
    ],
  },
  {
    reason: "hashes ids with a random key: test/keep/erase.test.ts searches all files for them",
    files: ["ddl/10_stg/04_erasure.sql", "etl/erase/"],
  },
  {
    reason: "reads what a whole run recorded: test/engine/nothing-new.test.ts changes each of it",
    files: ["etl/changed/is_current.sql"],
  },
  {
    reason: "moves rows between layers: test/keep/retain.test.ts compares all of them",
    files: ["etl/retain/"],
  },
  {
    reason: "reads a Kafka topic: test/kafka expects its rows",
    files: ["ddl/10_stg/30_raw_mv.sql"],
  },
];
