import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { pauseConsumption, resumeConsumption } from "../../warehouse/ingest/consumption.ts";
import { RowBuffer } from "../../warehouse/ingest/row-buffer.ts";
import { insertStatement, storeRows } from "../../warehouse/ingest/store.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { openTestServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  await applyDdl(server.db, "service");
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await server.db.run("TRUNCATE TABLE stg.geo_raw");
  // Merges remove second copies of a row, which these tests must see.
  await server.db.run("SYSTEM STOP MERGES stg.geo_raw");
});

/** Rows with the offsets from `first` to `last`, except every third, as after transaction markers. */
function rowsOf(first: number, last: number, partition = 0): RowBuffer {
  const rows = new RowBuffer(7n, partition);
  for (let offset = first; offset <= last; offset += 1) {
    if (offset % 3 === 2) continue;
    const value = Buffer.from(`{"n":${offset}}`);
    rows.add({ offset: BigInt(offset), timestamp: 1n, key: null, value, emittedAt: undefined });
  }
  return rows;
}

function store(rows: RowBuffer): Promise<number> {
  const onFailure = (error: Error) => expect.unreachable(error.message);
  return storeRows(server.db, "geo", rows, {
    signal: new AbortController().signal,
    onFailure,
  });
}

const stored = () =>
  server.db.rows<{ rows: number; distinct: number }>(
    `SELECT count() AS rows, uniqExact(_partition, _offset) AS distinct FROM stg.geo_raw`,
  );

const exactly = (rows: number) => [{ rows, distinct: rows }];

it("stores a batch as one part, so whole or not at all", async () => {
  await store(rowsOf(0, 299_999));
  expect(await stored()).toEqual(exactly(200_000));
  const parts = await server.db.rows(
    "SELECT rows FROM system.parts WHERE database = 'stg' AND table = 'geo_raw' AND active",
  );
  expect(parts).toEqual([{ rows: 200_000 }]);
});

it("stores only the rest of a batch whose start is stored", async () => {
  await store(rowsOf(0, 9));
  const repeated = await store(rowsOf(3, 20));
  await store(rowsOf(0, 20));
  expect(await stored()).toEqual(exactly(14));
  expect(repeated).toBe(5);
  expect(await store(rowsOf(3, 9))).toBe(5);
});

it("keeps partitions apart", async () => {
  await store(rowsOf(0, 9, 1));
  await store(rowsOf(0, 9, 2));
  expect(await stored()).toEqual(exactly(14));
});

it("stores each row once when two consumers store the same offsets at the same time", async () => {
  for (let round = 0; round < 60; round += 1) {
    const first = round * 30;
    // Both batches begin after the same stored row, and end at different ones.
    await Promise.all([
      store(rowsOf(first, first + 10 + (round % 7))),
      store(rowsOf(first, first + 29)),
    ]);
  }
  expect(await stored()).toEqual(exactly(1_200));
});

it("stores one of two statements that both saw no stored row", async () => {
  const token = { insert_deduplication_token: "7-0-0" };
  const late = server.db.insertRows(slowInsert(10), rowsOf(0, 9).after(-1n), {
    ...MAY_SLEEP,
    ...token,
  });
  await expect.poll(() => isRunning(10), { timeout: 180_000 }).toBe(true);
  await store(rowsOf(0, 20));
  expect(await isRunning(10)).toBe(true);
  await late;
  expect(await stored()).toEqual(exactly(14));
});

it("stores nothing by a late statement whose token is forgotten", async () => {
  const rows = rowsOf(0, 9);
  await store(rowsOf(0, 20));
  await server.db.insertRows(insertStatement("geo", rows, 0n), rows.after(-1n), {
    insert_deduplication_token: "another",
  });
  expect(await stored()).toEqual(exactly(14));
});

it("stores nothing after the pause of a reset, until the readers resume", async () => {
  const running = server.db
    .insertRows(slowInsert(5), rowsOf(0, 9).after(-1n), MAY_SLEEP)
    .catch((error: Error) => error);
  await expect.poll(() => isRunning(5), { timeout: 180_000 }).toBe(true);
  const paused = await pauseConsumption(server.db);
  const atPause = await stored();
  await running;
  expect(await stored()).toEqual(atPause);

  const failures: string[] = [];
  const waiting = storeRows(server.db, "geo", rowsOf(10, 20), {
    signal: new AbortController().signal,
    onFailure: ({ message }) => failures.push(message),
  });
  await expect.poll(() => failures.length, { timeout: 180_000 }).toBeGreaterThan(1);
  expect(failures[0]).toContain("geo_queue");
  expect(await stored()).toEqual(atPause);
  await resumeConsumption(server.db, paused);
  await waiting;
  expect((await stored())[0]).toMatchObject({ rows: (atPause[0]?.rows ?? 0) + 7 });
});

/** Allows long sleeps, which outlast other statements on a busy machine. The default limit is 3 s. */
const MAY_SLEEP = { function_sleep_max_microseconds_per_block: "60000000" };
const slowInsert = (seconds: number): string =>
  insertStatement("geo", rowsOf(0, 9), 0n).replace(
    "FORMAT RowBinary",
    `AND sleep(${seconds}) = 0 FORMAT RowBinary`,
  );

const isRunning = async (seconds: number): Promise<boolean> => {
  const queries = await server.db.rows<{ query: string }>("SELECT query FROM system.processes");
  return queries.some(({ query }) => query.includes(`sleep(${seconds})`));
};
