/** Files of `sql/` without expected rows here, by reason. A path that ends with `/` is a folder. */
export const WITHOUT_ROWS: readonly { reason: string; files: readonly string[] }[] = [
  {
    reason: "creates databases and tables: sql/schema.json records what they are",
    files: [
      "ddl/00_databases.sql",
      "ddl/10_stg/00_epoch.sql",
      "ddl/10_stg/01_manifest.sql",
      "ddl/10_stg/02_lease.sql",
      "ddl/10_stg/03_site.sql",
      "ddl/20_ods/00_load.sql",
      "ddl/30_dds/00_load.sql",
      "ddl/30_dds/10_event.sql",
      "ddl/30_dds/20_click.sql",
      "ddl/30_dds/30_integrity_check.sql",
      "ddl/40_dm/00_load.sql",
      "ddl/40_dm/02_changed.sql",
      "ddl/40_dm/10_event_enriched.sql",
      "ddl/40_dm/20_session.sql",
      "ddl/40_dm/22_page_view.sql",
      "ddl/40_dm/22_visitor.sql",
      "ddl/40_dm/30_dq_summary.sql",
      "ddl/40_dm/31_dq_summary_log.sql",
      "ddl/40_dm/40_complete_period.sql",
      "ddl/40_dm/41_truth.sql",
    ],
  },
  {
    reason: "lists names: etl/dm/session.yaml expects channels of some",
    files: ["ddl/40_dm/05_referring_site.sql"],
  },
  {
    reason:
      "reads files: test/engine/own-data.test.ts and sources.test.ts expect their messages and rows",
    files: ["import/", "sources/"],
  },
  {
    reason: "gets the SELECT that types messages: test/faults/deep.test.ts",
    files: ["checks/deep/messages.sql"],
  },
  {
    reason: "reads a Kafka topic: test/kafka expects its rows",
    files: ["ddl/10_stg/20_queue.sql", "ddl/10_stg/21_inlet.sql", "ddl/10_stg/30_raw_mv.sql"],
  },
];
