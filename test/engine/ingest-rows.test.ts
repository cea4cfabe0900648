import type { Message } from "@platformatic/kafka";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { pauseConsumption, resumeConsumption } from "../../warehouse/ingest/consumption.ts";
import { insertRows, rowOf } from "../../warehouse/ingest/rows.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { openTestServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  await applyDdl(server.db, "service");
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(() => server.db.run("TRUNCATE TABLE stg.raw"));

const row = (offset: number): string =>
  rowOf({
    ...{
      topic: "geo_events",
      partition: 1,
      offset: BigInt(offset),
      timestamp: 1n,
      headerEntries: [],
    },
    value: Buffer.from(`{"n":${offset}}`),
  } as unknown as Message);

const rowsOf = (count: number): string[] => Array.from({ length: count }, (_, n) => row(n));

const count = async (from: string) =>
  (await server.db.rows<{ rows: number }>(`SELECT count() AS rows FROM ${from}`))[0]?.rows;

it("stores a batch as one part, so whole or not at all", async () => {
  await insertRows(server.db, rowsOf(300_000));
  expect(await count("stg.raw")).toBe(300_000);
  expect(await count("system.parts WHERE table = 'raw' AND active")).toBe(1);
});

it("replaces the rows of a batch that is stored again", async () => {
  await insertRows(server.db, rowsOf(100));
  await insertRows(server.db, rowsOf(150));
  expect(await count("stg.raw FINAL")).toBe(150);
});

it("stores nothing after the pause of a reset, until the readers resume", async () => {
  const running = server.db
    .run(
      `INSERT INTO stg.queue (_offset, raw)
       SELECT number + sleep(3), 'running' FROM numbers(1)`,
    )
    .catch((error: Error) => error);
  const isRunning = () => count("system.processes WHERE query LIKE '%sleep(3)%'");
  // The count is a running query itself.
  await expect.poll(isRunning, { timeout: 180_000 }).toBe(2);
  expect(await pauseConsumption(server.db)).toBe(true);
  const atPause = await count("stg.raw");
  await running;
  expect(await count("stg.raw")).toBe(atPause);
  await expect(insertRows(server.db, [row(7)])).rejects.toThrow("stg.queue");
  await resumeConsumption(server.db);
  await insertRows(server.db, [row(7)]);
  expect(await count("stg.raw")).toBe((atPause ?? 0) + 1);
});
