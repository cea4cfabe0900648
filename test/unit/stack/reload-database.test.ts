import { expect, test } from "vitest";
import type { Database } from "../../../contract/ports.ts";
import { reloadDatabase } from "../../../pipeline/stack/reload-database.ts";

/** A server with one table that reads from the broker. */
function server() {
  const statements: string[] = [];
  let isAttached = true;
  const db: Database = {
    kind: "server",
    label: "test",
    rows: async <T>() => (isAttached ? [{ name: "browser_queue" }] : []) as T[],
    run: async (sql) => {
      statements.push(sql);
      if (/^DETACH/.test(sql)) isAttached = false;
    },
    insertTsv: async () => undefined,
    close: async () => undefined,
  };
  return { db, statements };
}

test("changed files are read, and what reads from the broker goes on", async () => {
  const { db, statements } = server();
  await reloadDatabase(db, false);
  expect(statements).toEqual(["SYSTEM RELOAD CONFIG"]);
});

test("where the broker's address or password changed, its readers are opened anew behind that", async () => {
  const { db, statements } = server();
  await reloadDatabase(db, true);
  expect(statements).toEqual([
    "SYSTEM RELOAD CONFIG",
    "DETACH TABLE stg.browser_queue SYNC",
    "ATTACH TABLE IF NOT EXISTS stg.browser_queue",
  ]);
});
