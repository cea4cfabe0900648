import type { Database } from "../../contract/ports.ts";

/** Returns a view of a database with replaced methods. Closing the view leaves the database open. */
export const replaceMethods = (db: Database, replaced: Partial<Database>): Database => ({
  label: db.label,
  ...(db.directory === undefined ? {} : { directory: db.directory }),
  rows: (...query) => db.rows(...query),
  run: (...statement) => db.run(...statement),
  insertTsv: (...insert) => db.insertTsv(...insert),
  inDatabase: (name) => db.inDatabase(name),
  close: async () => undefined,
  ...replaced,
});
