import type { Database, Params } from "../../../../contract/ports.ts";

interface RecordedQuery {
  readonly sql: string;
  readonly params: Params;
}

/** A database that answers every query with the rows of `answer`, and records the queries. */
export function fakeDatabase(
  answer: (sql: string) => readonly object[],
  directory?: string,
): { db: Database; asked: RecordedQuery[] } {
  const asked: RecordedQuery[] = [];
  const refuse = () => Promise.reject(new Error("a check only reads"));
  const db: Database = {
    label: "the database of a test",
    ...(directory === undefined ? {} : { directory }),
    rows: async <T>(sql: string, params: Params = {}) => {
      asked.push({ sql, params });
      return answer(sql) as T[];
    },
    run: refuse,
    insertTsv: refuse,
    inDatabase: () => db,
    close: async () => undefined,
  };
  return { db, asked };
}
