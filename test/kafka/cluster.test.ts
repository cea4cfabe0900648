/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database, Params } from "../../contract/ports.ts";
import { statementOf } from "../../contract/statement.ts";
import { StgPublisher } from "../../embedded/stg-publisher.ts";
import { isLeaseHeld, withLease } from "../../warehouse/batch/lease.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { digests } from "../../warehouse/ledger/digests.ts";
import { currentEpoch, prove } from "../../warehouse/ledger/prove.ts";
import { storeSource } from "../../warehouse/ledger/source.ts";
import { applyDdl, applyLeases, ddlFilesOf } from "../../warehouse/schema/ddl.ts";
import { copyTables, findDifferences } from "../../warehouse/schema/replicas.ts";
import { generateMessages, toBatch } from "../support/messages.ts";
import { DdlQueue } from "./cluster/ddl-queue.ts";
import { raceForLease, takeOver } from "./cluster/lease-races.ts";
import { type Servers, startServers } from "./cluster/servers.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

let servers: Servers;
beforeAll(async () => {
  if (hasPython) servers = await startServers();
});
afterAll(() => servers?.[Symbol.asyncDispose]());

const open = (url = "", cluster?: string): ServerDatabase =>
  new ServerDatabase({ url, user: "default", password: "", ...(cluster && { cluster }) });

/** Clients of both replicas, of a balancer, and of each replica without the cluster. */
async function clients(isReplicated: boolean) {
  const queue = await DdlQueue.open(servers.urls, { isReplicated });
  const [one, two, either] = queue.urls.map((url) => open(url, "events")) as [
    ServerDatabase,
    ServerDatabase,
    ServerDatabase,
  ];
  const [onlyOne, onlyTwo] = servers.urls.map((url) => open(url)) as [
    ServerDatabase,
    ServerDatabase,
  ];
  for (const db of [onlyOne, onlyTwo]) await dropLayers(db);
  return {
    ...{ one, two, either, onlyOne, onlyTwo },
    async [Symbol.asyncDispose]() {
      for (const db of [one, two, either, onlyOne, onlyTwo]) await db.close();
      await queue[Symbol.asyncDispose]();
    },
  };
}

const ddlOf = (object: string): string =>
  ddlFilesOf("service")
    .flatMap(({ statements }) => statements)
    .find((statement) => statement.includes(`EXISTS ${object} `)) ?? "";

/** Creates the table again with its UUID and another definition. */
async function replaceTable(db: ServerDatabase, object: string, part: string, by: string) {
  const [found] = await db.rows<{ text: string }>(
    `SELECT create_table_query AS text FROM system.tables
     WHERE concat(database, '.', name) = {object:String}
     SETTINGS show_table_uuid_in_table_create_query_if_not_nil = 1`,
    { object },
  );
  expect(found?.text).toContain(part);
  await db.run(`DROP TABLE ${object} SYNC`);
  await db.run(found?.text.replace(part, by) ?? "");
}

const dropLayers = async (db: ServerDatabase): Promise<void> => {
  for (const name of ["dm", "dm_internal", "dds", "ods", "stg"]) {
    await db.run(`DROP DATABASE IF EXISTS ${name} SYNC`);
  }
};

describe.skipIf(!hasPython)("two replicas with one ZooKeeper", () => {
  test("accept the DDL, and each difference of one replica is found", async () => {
    await using all = await clients(true);
    const { one, two, onlyTwo } = all;
    for (const { statements } of ddlFilesOf("service")) {
      for (const statement of statements) {
        await one.run(statement);
      }
    }
    expect(await findDifferences(one, "service")).toEqual([]);
    const [counted] = await two.rows<{ tables: number; whole: number }>(
      "SELECT count() AS tables, countIf(total_replicas = 2) AS whole FROM system.replicas",
    );
    expect(counted?.tables).toBeGreaterThan(30);
    expect(counted?.whole).toBe(counted?.tables);

    await onlyTwo.run("DROP TABLE dm.visitor SYNC");
    await onlyTwo.run("DROP VIEW dm.v_totals SYNC");
    for (const db of [one, two]) {
      expect(await findDifferences(db, "service")).toEqual([
        { object: "dm.v_totals", what: "missing", engine: "View", replica: "r2" },
        { object: "dm.visitor", what: "missing", engine: "MergeTree", replica: "r2" },
      ]);
    }
    await copyTables(two, "stg.lease");
    expect(await findDifferences(two, "service")).toHaveLength(2);
    await copyTables(two);
    expect((await findDifferences(one, "service")).map(({ object }) => object)).toEqual([
      "dm.v_totals",
    ]);
    await one.run(ddlOf("dm.v_totals"));

    await onlyTwo.run("DROP TABLE stg.geo_raw SYNC");
    await copyTables(two);

    await replaceTable(onlyTwo, "dm.visitor", "/{shard}'", "/elsewhere'");
    const counted1 = "Keeper counts 1 replicas, the cluster has 2";
    expect(await findDifferences(two, "service")).toEqual(
      ["r1", "r2"].map((replica) => ({
        object: "dm.visitor",
        engine: "ReplicatedMergeTree",
        what: counted1,
        replica,
      })),
    );
    await expect(applyLeases(one)).rejects.toThrow(`dm.visitor on replica r1: ${counted1}`);

    await onlyTwo.run("DROP TABLE dm.visitor SYNC");
    const created = "CREATE TABLE dm.visitor UUID '11111111-1111-4111-8111-111111111111' (n Int8)";
    await onlyTwo.run(`${created} ENGINE = ReplicatedMergeTree ORDER BY n`);
    const split = (await findDifferences(one, "service")).map(({ what }) => what);
    expect(split).toContain("another table than on r1, with other rows");
    await expect(applyLeases(one)).rejects.toThrow("dm.visitor on replica r2: another table than");

    await onlyTwo.run("DROP TABLE ods.load_commit SYNC");
    await onlyTwo.run("CREATE TABLE ods.load_commit (n Int8) ENGINE = MergeTree ORDER BY n");
    const unshared = (await findDifferences(one, "service")).map(({ what }) => what);
    expect(unshared).toContain("engine MergeTree is not replicated");
  });

  test("a cluster that the server does not know is refused", async () => {
    await using all = await clients(true);
    const other = open(servers.urls[0], "elsewhere");
    await expect(other.run("SELECT 1")).rejects.toThrow("elsewhere of http://127.0.0.1");
    await other.close();
    await expect(all.one.run("SELECT 1")).resolves.toBeUndefined();
  });
});

describe.skipIf(!hasPython)("a lease with clients of two replicas", () => {
  test("runs work one after another, and leaves no database", async () => {
    await using all = await clients(false);
    await applyLeases(all.one);
    await raceForLease(all.one, all.two);
    for (const db of [all.onlyOne, all.onlyTwo]) {
      const left =
        "SELECT name FROM system.databases WHERE startsWith(name, 'eventpipeline_lease_')";
      expect(await db.rows(left)).toEqual([]);
    }
  });

  test("a takeover on one replica ends the rights of the holder on the other", async () => {
    await using all = await clients(false);
    await applyLeases(all.one);
    await takeOver(all.one, all.two);
  });

  test("a failed run keeps its lease if the replicas stay apart", async () => {
    await using all = await clients(false);
    await applyLeases(all.one);
    const failing = withLease(withoutSync(all.one), "bad", () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(await isLeaseHeld(all.two)).toBe(true);
    const successor = withLease(all.two, "successor", async () => "repaired", { lifetimeMs: 1 });
    await expect(successor).resolves.toBe("repaired");
    expect(await isLeaseHeld(all.one)).toBe(false);
  });
});

/** A client whose replicas have a table that they cannot synchronise. */
const withoutSync = (db: Database): Database => ({
  kind: db.kind,
  label: db.label,
  cluster: "events",
  rows: async <T>(sql: string, params?: Params) =>
    sql.includes("'Replicated'") ? ([{ name: "stg.lease" }] as T[]) : db.rows<T>(sql, params),
  run: async (sql, ...rest) => {
    if (sql.startsWith("SYSTEM SYNC")) throw new Error("a replica is away");
    await db.run(sql, ...rest);
  },
  insertTsv: (...insert) => db.insertTsv(...insert),
  close: () => db.close(),
  inDatabase: (name) => withoutSync(db.inDatabase?.(name) ?? db),
});

test.skipIf(!hasPython)("ddl replaces a view that differs on another replica", async () => {
  await using all = await clients(false);
  const { one, onlyOne, onlyTwo } = all;
  await onlyTwo.run("CREATE DATABASE dm");
  await onlyTwo.run("CREATE VIEW dm.v_totals AS SELECT 1 AS other");
  await applyDdl(one, "all");
  const query = "SELECT as_select FROM system.tables WHERE database = 'dm' AND name = 'v_totals'";
  expect(await onlyTwo.rows(query)).toEqual(await onlyOne.rows(query));
});

test.skipIf(!hasPython)(
  "loads and checks pass if each statement may reach another replica",
  async () => {
    await using all = await clients(false);
    const { either, onlyOne, onlyTwo } = all;
    await applyDdl(either, "all");
    const { messages, manifest } = await generateMessages("cluster", 5);
    const half = Math.floor(messages.length / 2);
    for (const [part, fullRefresh] of [
      [messages.slice(0, half), true] as const,
      [messages.slice(half), false] as const,
    ]) {
      const publisher = await StgPublisher.open(either);
      await publisher.publish(toBatch(part));
      await publisher.close();
      await transform(either, { fullRefresh, waitSeconds: 1 });
    }
    const epoch = await currentEpoch(either);
    const epochs = "SELECT epoch FROM stg.epoch";
    expect(await onlyTwo.rows(epochs)).toEqual(await onlyOne.rows(epochs));
    await storeSource(either, epoch, { name: "test", statement: statementOf(manifest), manifest });
    expect(await prove(either)).toMatchObject({ unaccounted: 0, verdict: "accounted" });
    expect(await digests(onlyTwo)).toEqual(await digests(onlyOne));
  },
);
