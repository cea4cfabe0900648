/**
 * Checks two real replicas of the cluster `events`, which the workflow `cluster` starts:
 * `node test/kafka/cluster/hosted.ts http://localhost:8123 http://localhost:8124`
 */
import assert from "node:assert/strict";
import { ServerDatabase } from "../../../warehouse/database/http.ts";
import { RowBuffer } from "../../../warehouse/ingest/row-buffer.ts";
import { storeRows } from "../../../warehouse/ingest/store.ts";
import { applyDdl } from "../../../warehouse/schema/ddl.ts";
import { findDifferences } from "../../../warehouse/schema/replicas.ts";
import { raceForLease, takeOver } from "./lease-races.ts";

const [one, two] = process.argv
  .slice(2)
  .map((url) => new ServerDatabase({ url, user: "default", password: "", cluster: "events" }));
assert.ok(one && two, "give the addresses of two replicas");

const ROWS = 1_000;

function rows(): RowBuffer {
  const buffer = new RowBuffer(1n, 0);
  for (let offset = 0; offset < ROWS; offset += 1) {
    const value = Buffer.from(`{"n":${offset}}`);
    buffer.add({ offset: BigInt(offset), timestamp: 1n, key: null, value, emittedAt: undefined });
  }
  return buffer;
}

const store = (db: ServerDatabase): Promise<number> =>
  storeRows(db, "geo", rows(), {
    signal: new AbortController().signal,
    mayBeStored: true,
    onFailure: (error) => console.log(`retry: ${error.message}`),
  });

for (const db of [one, two]) await applyDdl(db, "service");
for (const db of [one, two]) assert.deepEqual(await findDifferences(db, "service"), []);
console.log("the DDL is on both replicas");

for (let round = 0; round < 5; round += 1) await raceForLease(one, two);
console.log("runs through both replicas work one after another");
await takeOver(one, two);
console.log("a takeover fences the other replica");

for (const db of [one, two]) await db.run("SYSTEM STOP MERGES stg.geo_raw");
await Promise.all([store(one), store(two), store(one)]);
for (const db of [one, two]) {
  const [found] = await db.rows<{ n: number }>(
    "SELECT count() AS n FROM stg.geo_raw WHERE epoch = 1",
  );
  assert.equal(found?.n, ROWS);
  await db.run("SYSTEM START MERGES stg.geo_raw");
}
console.log("a batch that both replicas get is stored once");
await one.run("TRUNCATE TABLE stg.geo_raw");
await one.run("TRUNCATE TABLE stg.epoch");
await Promise.all([one.close(), two.close()]);
