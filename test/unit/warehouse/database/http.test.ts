import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { ServerDatabase } from "../../../../warehouse/database/http.ts";

/** A server that knows a cluster of one shard, and keeps the quorum of each write. */
async function startServer() {
  const state = { replicas: 2, quorums: [] as (string | null)[] };
  const server = createServer(async (request, response) => {
    const isCount = (await text(request)).includes("system.clusters");
    const { searchParams } = new URL(request.url ?? "", "http://any");
    if (!isCount) state.quorums.push(searchParams.get("insert_quorum"));
    response.end(isCount ? `{"shards":1,"replicas":${state.replicas}}\n` : "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void server.close(),
  };
}

test("a write waits for the replicas that the cluster has at that time", async () => {
  using server = await startServer();
  const db = new ServerDatabase({
    url: server.url,
    user: "default",
    password: "",
    cluster: "events",
  });
  await db.insertTsv("t", ["n"], [Buffer.from("1\n")]);
  server.state.replicas = 3;
  await db.insertTsv("t", ["n"], [Buffer.from("2\n")]);
  await db.run("TRUNCATE TABLE t");
  await db.close();
  expect(server.state.quorums).toEqual(["2", "3", "3"]);
});
