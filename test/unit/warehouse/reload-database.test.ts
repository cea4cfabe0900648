import { expect, test } from "vitest";
import type { Database } from "../../../contract/ports.ts";
import { reloadDatabase } from "../../../warehouse/epochs/consumption.ts";

/** A server with a table that reads from the broker, and one that an earlier run left detached. */
function server(fails?: string) {
  const statements: string[] = [];
  const attached = new Set(["browser_queue"]);
  const detached = new Set(["geo_queue"]);
  const move = (sql: string, from: Set<string>, to: Set<string>): void => {
    const name = sql.match(/\w+_queue/)?.[0] ?? "";
    if (from.delete(name)) to.add(name);
  };
  const db: Database = {
    label: "test",
    rows: async <T>(sql: string) =>
      (sql.includes("detached_tables")
        ? [...detached].map((table) => ({ table }))
        : [...attached].map((name) => ({ name }))) as T[],
    run: async (sql) => {
      if (fails && sql.startsWith(fails)) throw new Error(`refused: ${sql}`);
      statements.push(sql);
      if (sql.startsWith("DETACH")) move(sql, attached, detached);
      if (sql.startsWith("ATTACH")) move(sql, detached, attached);
    },
    insertTsv: async () => undefined,
    inDatabase: () => db,
    close: async () => undefined,
  };
  return { db, statements, attached };
}

test("reloads changed files, and readers of the broker continue", async () => {
  const { db, statements } = server();
  await reloadDatabase(db, false);
  expect(statements).toEqual(["SYSTEM RELOAD CONFIG"]);
});

test("after a change of the broker's address or password, re-opens its readers", async () => {
  const { db, statements, attached } = server();
  await reloadDatabase(db, true);
  expect(statements.slice(0, 3)).toEqual([
    "SYSTEM RELOAD CONFIG",
    "DETACH TABLE stg.browser_queue SYNC",
    "ATTACH TABLE IF NOT EXISTS stg.browser_queue",
  ]);
  expect([...attached].sort()).toEqual(["browser_queue", "geo_queue"]);
});

test("re-opens all readers if closing one fails", async () => {
  const { db, attached } = server("DETACH TABLE stg.browser_queue");
  await expect(reloadDatabase(db, true)).rejects.toThrow("refused: DETACH");
  expect([...attached].sort()).toEqual(["browser_queue", "geo_queue"]);
});
