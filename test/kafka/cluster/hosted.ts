/**
 * Checks two real replicas of the cluster `events`, which the workflow `cluster` starts:
 * `node test/kafka/cluster/hosted.ts http://localhost:8123 http://localhost:8124`
 */
import assert from "node:assert/strict";
import { ServerDatabase } from "../../../warehouse/database/http.ts";
import { applyDdl } from "../../../warehouse/schema/ddl.ts";
import { findDifferences } from "../../../warehouse/schema/replicas.ts";
import { raceForLease, takeOver } from "./lease-races.ts";

const [one, two] = process.argv
  .slice(2)
  .map((url) => new ServerDatabase({ url, user: "default", password: "", cluster: "events" }));
assert.ok(one && two, "give the addresses of two replicas");

for (const db of [one, two]) await applyDdl(db, "service");
for (const db of [one, two]) assert.deepEqual(await findDifferences(db, "service"), []);
console.log("the DDL is on both replicas");

for (let round = 0; round < 5; round += 1) await raceForLease(one, two);
console.log("runs through both replicas work one after another");
await takeOver(one, two);
console.log("a takeover fences the other replica");

await Promise.all([one.close(), two.close()]);
