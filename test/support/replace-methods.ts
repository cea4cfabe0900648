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

/** Returns a view of a database whose leases call `before` with each statement of the holder. */
export function beforeStatements(
  db: Database,
  before: (sql: string) => Promise<void>,
  onClose: () => void = () => undefined,
): Database {
  return replaceMethods(db, {
    inDatabase: (name) => {
      const inner = db.inDatabase(name);
      return replaceMethods(inner, {
        run: async (...[sql, ...rest]) => {
          await before(sql);
          await inner.run(sql, ...rest);
        },
        close: () => {
          onClose();
          return inner.close();
        },
      });
    },
  });
}
