import type { Database } from "../../contract/ports.ts";
import type { EmbeddedEngine } from "../../embedded/engine.ts";

/** Presents an engine as a server that other clients can reach. */
export const asServer = (db: EmbeddedEngine): Database => ({
  kind: "server",
  label: "test",
  rows: (sql, params) => db.rows(sql, params),
  run: (sql, params) => db.run(sql, params),
  insertTsv: (table, columns, data) => db.insertTsv(table, columns, data),
  close: () => db.close(),
});
