import type { Database } from "../../contract/ports.ts";
import type { EmbeddedEngine } from "../../embedded/engine.ts";

/** The same engine, taken for a server that others can reach, too. */
export const asServer = (db: EmbeddedEngine): Database => ({
  kind: "server",
  label: "test",
  rows: (sql, params) => db.rows(sql, params),
  run: (sql, params) => db.run(sql, params),
  insertTsv: (table, columns, data) => db.insertTsv(table, columns, data),
  close: () => db.close(),
});
