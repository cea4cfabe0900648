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

/** The lease is renewed at any moment, so its statements have no number. */
export const isOfLease = (sql: string): boolean => sql.includes("INSERT INTO stg.lease");

/** Returns a view of a database that fails instead of the holder's statement with a number, counted from 1. */
export function killedAt(db: Database, number: number): Database {
  let count = 0;
  return beforeStatements(db, async (sql) => {
    if (!isOfLease(sql)) count += 1;
    if (count === number) throw new Error("killed");
  });
}

/** Returns the statements of a run, by which later runs are cut. */
export async function statementsOf(
  db: Database,
  run: (db: Database) => Promise<unknown>,
): Promise<string[]> {
  const statements: string[] = [];
  await run(
    beforeStatements(db, async (sql) => {
      if (!isOfLease(sql)) statements.push(sql);
    }),
  );
  return statements;
}
