import { expect, test, vi } from "vitest";
import type { ServerDatabase } from "../../../../warehouse/database/http.ts";
import { RowBuffer } from "../../../../warehouse/ingest/row-buffer.ts";
import { storeRows } from "../../../../warehouse/ingest/store.ts";

const SYNC = "SYSTEM SYNC REPLICA stg.browser_raw LIGHTWEIGHT";

function rowsUntil(last: bigint): RowBuffer {
  const rows = new RowBuffer(1n, 0);
  for (let offset = 0n; offset <= last; offset += 1n) {
    const value = Buffer.from("{}");
    rows.add({ offset, timestamp: -1n, key: null, value, emittedAt: undefined });
  }
  return rows;
}

/** A database that answers with these last stored offsets, and keeps what was sent. */
function fakeDatabase(stored: readonly bigint[], cluster: string | undefined) {
  const sent: string[] = [];
  const answers = [...stored];
  const db = {
    cluster,
    run: async (sql: string) => void sent.push(sql),
    insertRows: async () => void sent.push("insert"),
    rows: async () => [{ last: String(answers.shift()) }],
  };
  return { sent, db: db as unknown as ServerDatabase };
}

const options = {
  signal: AbortSignal.timeout(60_000),
  mayBeStored: false,
  onFailure: (error: Error) => expect.fail(error.message),
};

test("rows that continue another consumer's wait until every replica has those", async () => {
  const { sent, db } = fakeDatabase([1n, 3n], "events");
  await storeRows(db, "browser", rowsUntil(3n), options);
  expect(sent).toEqual(["insert", SYNC, "insert"]);
});

test("rows that another consumer may have stored wait until every replica has them", async () => {
  const beyond = fakeDatabase([9n], "events");
  expect(await storeRows(beyond.db, "browser", rowsUntil(3n), options)).toBe(4);
  expect(beyond.sent).toEqual(["insert", SYNC]);
  const first = fakeDatabase([3n], "events");
  await storeRows(first.db, "browser", rowsUntil(3n), { ...options, mayBeStored: true });
  expect(first.sent).toEqual(["insert", SYNC]);
});

test("rows of a statement that failed for the client wait, too", async () => {
  const { sent, db } = fakeDatabase([3n], "events");
  const { insertRows } = db;
  const cut = vi.fn(insertRows).mockRejectedValueOnce(new Error("the connection broke"));
  const failing = Object.assign(db, { insertRows: cut });
  await storeRows(failing, "browser", rowsUntil(3n), { ...options, onFailure: () => {} });
  expect(cut).toHaveBeenCalledTimes(2);
  expect(sent).toEqual([SYNC, "insert", SYNC]);
});

test("own rows, and a single server, wait for nothing", async () => {
  const own = fakeDatabase([3n], "events");
  await storeRows(own.db, "browser", rowsUntil(3n), options);
  expect(own.sent).toEqual(["insert"]);
  const single = fakeDatabase([1n, 3n], undefined);
  await storeRows(single.db, "browser", rowsUntil(3n), options);
  expect(single.sent).toEqual(["insert", "insert"]);
});
