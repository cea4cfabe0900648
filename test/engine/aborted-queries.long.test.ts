import { afterAll, beforeAll, expect, test } from "vitest";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { type ContainerDatabase, startContainerDatabase } from "../support/container-database.ts";
import { useFolder } from "../support/use-folder.ts";

const directory = useFolder("aborted-queries");
let database: ContainerDatabase;
let client: ServerDatabase;
beforeAll(async () => {
  database = await startContainerDatabase({ directory });
  client = database.as();
});
afterAll(async () => {
  await database?.stop();
});

const SECONDS = 60;
const QUERY = "SELECT number, sleepEachRow(0.0001) FROM numbers(1e7)";

/** Sends a long query and breaks off before its end. */
async function abortQuery(): Promise<void> {
  const signal = AbortSignal.timeout(Math.round(20 + Math.random() * 200));
  const query = { query: QUERY, user: "default", password: database.password };
  await fetch(`${database.url}/?${new URLSearchParams(query)}`, { signal })
    .then((answer) => answer.text())
    .catch(() => undefined);
}

const killQueries = (): Promise<void> =>
  client.run("KILL QUERY WHERE query LIKE 'SELECT number, sleep%' SYNC");

let inserted = 0;
const insertRow = async (): Promise<void> => {
  await client.run("INSERT INTO default.kept VALUES (1)");
  inserted += 1;
};

test("queries that clients break off and others kill end nothing else, and leave nothing", async () => {
  await client.run("CREATE TABLE default.kept (n UInt8) ENGINE = MergeTree ORDER BY n");
  const until = performance.now() + SECONDS * 1_000;
  const repeat = async (work: () => Promise<void>): Promise<void> => {
    while (performance.now() < until) await work();
  };
  const clients = [abortQuery, abortQuery, abortQuery, abortQuery, killQueries, killQueries];
  await Promise.all([...clients, insertRow].map(repeat));
  expect(database.child.exitCode).toBeNull();
  expect(await client.rows("SELECT count() AS rows FROM default.kept")).toEqual([
    { rows: inserted },
  ]);
  await killQueries();
  const running =
    "SELECT count() AS n FROM system.processes WHERE query LIKE 'SELECT number, sleep%'";
  await expect.poll(() => client.rows(running), { timeout: 180_000 }).toEqual([{ n: 0 }]);
});
