import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DatabaseUnavailable, type UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { clearLayers } from "../../warehouse/batch/clear-layers.ts";
import { elect, readHolder } from "../../warehouse/batch/election.ts";
import { type Lease, LeaseLost, withLease, withLeaseErrors } from "../../warehouse/batch/lease.ts";
import { findStep, readPlan } from "../../warehouse/batch/plan.ts";
import { runStep } from "../../warehouse/batch/run-step.ts";
import { readStatements, SQL_ROOT } from "../../warehouse/sql.ts";
import { generateMessages } from "../support/messages.ts";
import { publish } from "../support/pipeline.ts";
import { beforeStatements } from "../support/replace-methods.ts";
import { openTestServer, type TestServer } from "../support/server.ts";

/** A short lifetime, so that a silent holder soon counts as dead. */
const SOON = { lifetimeMs: 500 };

let server: TestServer;
let db: Database;
beforeAll(async () => {
  server = await openTestServer();
  db = server.db;
  for (const name of ["one", "other"]) {
    await db.run(`CREATE TABLE default.${name} (n UInt64) ENGINE = MergeTree ORDER BY n`);
  }
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const name of await leaseDatabases()) await db.run(`DROP DATABASE ${name}`);
  await db.run("TRUNCATE TABLE default.one");
  await db.run("TRUNCATE TABLE default.other");
});

const leaseDatabases = async (): Promise<string[]> => {
  const found = await db.rows<{ name: string }>(
    "SELECT name FROM system.databases WHERE name LIKE 'eventpipeline\\_lease\\_%'",
  );
  return found.map(({ name }) => name);
};

const failedQueries = async (): Promise<number> => {
  const [row] = await db.rows<{ failed: number }>(
    "SELECT sum(value) AS failed FROM system.events WHERE event = 'FailedQuery'",
  );
  return row?.failed ?? 0;
};

/** Resolves when the server runs a statement with this text. */
const waitUntilRunning = (text: string) =>
  expect
    .poll(
      () =>
        db.rows(
          "SELECT query FROM system.processes WHERE position(query, {text:String}) > 0 AND position(query, 'system.processes') = 0",
          { text },
        ),
      { timeout: 180_000 },
    )
    .not.toEqual([]);

/** A lease that is held until `end` is called. */
async function hold(step: string, lifetimeMs?: number) {
  const begun = Promise.withResolvers<Lease>();
  const over = Promise.withResolvers<void>();
  const work = (lease: Lease) => {
    begun.resolve(lease);
    return over.promise;
  };
  const done = withLease(db, step, work, lifetimeMs ? { lifetimeMs } : {});
  done.catch(begun.reject);
  const lease = await begun.promise;
  const end = () => {
    over.resolve();
    return done;
  };
  return { lease, end };
}

describe("several runs on one server", () => {
  test("work one after another with increasing numbers, and no query fails", async () => {
    const failedBefore = await failedQueries();
    let working = 0;
    const ids: number[] = [];
    const work = async ({ id }: Lease) => {
      working += 1;
      expect(working).toBe(1);
      await sleep(50);
      working -= 1;
      ids.push(id);
    };
    await Promise.all(Array.from({ length: 6 }, (_, run) => withLease(db, `run_${run}`, work)));
    expect(ids).toHaveLength(6);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(await leaseDatabases()).toEqual([]);
    expect(await failedQueries()).toBe(failedBefore);
  });

  test("release the lease if the work fails", async () => {
    const failing = withLease(db, "bad", () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(await leaseDatabases()).toEqual([]);
    expect(await withLease(db, "good", async () => "done")).toBe("done");
  });

  test("keep a renewed lease, however long the work takes", async () => {
    const lifetimeMs = 2_000;
    const { lease, end } = await hold("long", lifetimeMs);
    const early = withLease(db, "early", async () => undefined, { lifetimeMs, waitMs: 5_000 });
    await expect(early).rejects.toThrow(
      /early cannot write the database: long on .* holds the lease/,
    );
    await lease.db.run("INSERT INTO default.one SELECT 1");
    await end();
  });

  test.each([
    ["killed before it recorded its lease", 60_000, true],
    ["about to record its lease", 0, false],
  ])("a run %s is judged by the time of its election", async (_, ageMs, isDead) => {
    const holder = await readHolder(db);
    const { last_id, now_ms } = holder;
    const name = `eventpipeline_lease_${last_id + 1}`;
    await db.run(`CREATE DATABASE ${name} COMMENT '${name}_token ${now_ms - ageMs} ${holder.run}'`);
    const run = withLease(db, "successor", async ({ id }) => id, { waitMs: 600 });
    if (isDead) await expect(run).resolves.toBe(last_id + 2);
    else await expect(run).rejects.toThrow(/a run that is starting holds/);
  });
});

test("a run that is paused between its election and its work is elected again", async () => {
  const successors: number[] = [];
  const paused = beforeStatements(db, async (sql) => {
    if (successors.length > 0 || !sql.includes("INSERT INTO stg.lease")) return;
    await withLease(db, "successor", async ({ id }) => successors.push(id), SOON);
  });
  const begun: number[] = [];
  await withLease(paused, "slow", async ({ id }) => begun.push(id));
  expect(successors).toHaveLength(1);
  expect(begun).toEqual([Number(successors[0]) + 1]);
});

test.each(["ends", "fails"])("work that %s waits for a renewal in flight", async (how) => {
  const order: string[] = [];
  const renewing = Promise.withResolvers<void>();
  const slow = beforeStatements(
    db,
    async (sql) => {
      if (!sql.includes("SELECT id, step, owner")) return;
      renewing.resolve();
      await sleep(300);
      order.push("renewed");
    },
    () => order.push("closed"),
  );
  const work = async () => {
    await renewing.promise;
    if (how === "fails") throw new Error("no");
  };
  await withLease(slow, "slow", work, SOON).catch(() => undefined);
  expect(order).toEqual(["renewed", "closed"]);
});

test("a failed renewal is reported once, and the run continues", async () => {
  let failures = 0;
  const cutOff = beforeStatements(db, async (sql) => {
    if (!sql.includes("SELECT id, step, owner")) return;
    failures += 1;
    throw new DatabaseUnavailable("ClickHouse cannot be reached.");
  });
  const warnings: string[] = [];
  const work = async ({ db: held }: Lease) => {
    while (failures < 2) await sleep(50);
    await held.run("INSERT INTO default.one SELECT 1");
  };
  const onWarning = (line: string) => warnings.push(line);
  await withLease(cutOff, "unlucky", work, { ...SOON, onWarning });
  expect(warnings).toEqual([
    "warning: unlucky could not renew its lease: ClickHouse cannot be reached. Another run may take over 0.5 s after the last renewal.",
  ]);
});

describe("a holder that another run considers dead", () => {
  test.each([
    "INSERT INTO default.one SELECT 2",
    "DELETE FROM default.one WHERE 1",
    "TRUNCATE TABLE default.one",
    "EXCHANGE TABLES default.one AND default.other",
    "ALTER TABLE default.one DELETE WHERE 1",
  ])("cannot run %s", async (sql) => {
    const { lease, end } = await hold("slow");
    await lease.db.run("INSERT INTO default.one SELECT 1");
    const id = await withLease(db, "successor", async (successor) => successor.id, SOON);
    expect(id).toBeGreaterThan(lease.id);
    await expect(lease.db.run(sql)).rejects.toThrow(LeaseLost);
    await expect(lease.db.rows("SELECT 1")).rejects.toThrow(
      /^slow lost its lease to another run: the server refused its statement.*repairs the rows/,
    );
    await end();
    expect(await db.rows("SELECT n FROM default.one")).toEqual([{ n: 1 }]);
  });

  test("cannot insert a row as lines either", async () => {
    const { lease, end } = await hold("slow");
    await withLease(db, "successor", async () => undefined, SOON);
    const lines = (async function* () {
      yield Buffer.from("1\n");
    })();
    await expect(lease.db.insertTsv("default.one", ["n"], lines)).rejects.toThrow(LeaseLost);
    await end();
    expect(await db.rows("SELECT n FROM default.one")).toEqual([]);
  });

  test("learns of it also if its connection was cut", async () => {
    const { lease, end } = await hold("slow");
    const cut = () => Promise.reject(new DatabaseUnavailable("cut"));
    const name = `eventpipeline_lease_${lease.id}_token`;
    const inner = db.inDatabase(name);
    const gone = withLeaseErrors(Object.assign(inner, { run: cut }), name, "slow");
    const lost = gone.run("TRUNCATE TABLE default.one");
    await expect(lost).rejects.toThrow(LeaseLost);
    // It is unknown whether the server ran the statement.
    await expect(lost).rejects.toThrow(/connection broke during a statement, which may have/);
    const held = Object.assign(Object.create(lease.db), { rows: lease.db.rows, run: cut });
    const stillHeld = withLeaseErrors(held, name, "slow");
    await expect(stillHeld.run("TRUNCATE TABLE default.one")).rejects.toThrow(DatabaseUnavailable);
    await gone.close();
    await end();
  });

  test("delays its successor until its running statement has ended", async () => {
    const { lease, end } = await hold("slow");
    const running = lease.db.run(
      `INSERT INTO default.one SELECT number + sleepEachRow(0.2) FROM numbers(50)
       SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`,
    );
    await waitUntilRunning("sleepEachRow(0.2)");
    const seen = await withLease(
      db,
      "successor",
      (successor) => successor.db.rows("SELECT count() AS rows FROM default.one"),
      SOON,
    );
    expect(seen).toEqual([{ rows: 50 }]);
    await running;
    await end();
  });

  test("delays its successor also if it was released while its statement still runs", async () => {
    let running: Promise<void> | undefined;
    await withLease(db, "slow", async (lease) => {
      running = lease.db.run(
        `INSERT INTO default.one SELECT number + sleepEachRow(0.2) FROM numbers(20)
         SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`,
      );
      running.catch(() => undefined);
      await waitUntilRunning("sleepEachRow(0.2)");
    });
    expect(await leaseDatabases()).toEqual([]);
    const seen = await withLease(db, "successor", (successor) =>
      successor.db.rows("SELECT count() AS rows FROM default.one"),
    );
    expect(seen).toEqual([{ rows: 20 }]);
    await running?.catch(() => undefined);
  });

  test("is named with its running statement to a run that cannot wait for its end", async () => {
    const { lease, end } = await hold("slow");
    const running = lease.db.run(
      `INSERT INTO default.one SELECT number + sleepEachRow(1) FROM numbers(60)
       SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`,
    );
    const ended = running.catch((error: unknown) => error);
    await waitUntilRunning("sleepEachRow(1)");
    const successor = withLease(db, "successor", async () => undefined, {
      lifetimeMs: 100,
      waitMs: 5_000,
    });
    const refusal = (await successor.catch((error: unknown) => error)) as UserError;
    const [kill = "", id] = /KILL QUERY WHERE query_id = '([^']+)'/.exec(refusal.hint ?? "") ?? [];
    expect(refusal.message).toBe(`The statement ${id} of an earlier run is still running`);
    await db.run(kill);
    expect(await ended).toBeInstanceOf(Error);
    await end();
  });

  const MART = { target: "session", definition: "", dds_definition: "" };

  test.each([
    ["load_ods/commit.sql", "ods.load_commit"],
    ["changed/commit.sql", "dds.load_commit"],
    ["changed/commit_mart.sql", "dm_internal.load_commit"],
  ])("commits nothing with %s once a newer lease is recorded", async (file, table) => {
    const commit = readStatements(`etl/${file}`).find(isCommit) ?? "";
    const rows = () => db.rows(`SELECT count() AS rows FROM ${table}`);
    const { lease, end } = await hold("slow");
    await lease.db.run("INSERT INTO ods.load_range (load_id) SELECT {id:UInt64}", { id: lease.id });
    await lease.db.run("INSERT INTO stg.lease (id) SELECT {id:UInt64} + 1", { id: lease.id });
    const params = { load_id: lease.id, to_load: lease.id, ...MART, lease_id: lease.id };
    const late = lease.db.run(commit, params);
    await expect(late).rejects.toThrow(LeaseLost);
    expect(await rows()).toEqual([{ rows: 0 }]);
    await lease.db.run(commit, { ...params, lease_id: lease.id + 1, load_id: lease.id + 1 });
    expect(await rows()).toEqual([{ rows: file.startsWith("load_ods") ? 0 : 1 }]);
    await end();
    await clearLayers(db);
  });

  test("commits only with statements that check for a newer lease", () => {
    const files = readdirSync(join(SQL_ROOT, "etl"), { recursive: true, encoding: "utf8" });
    const commits = files
      .filter((file) => file.endsWith(".sql"))
      .flatMap((file) => readStatements(`etl/${file}`).filter(isCommit));
    expect(commits).toHaveLength(3);
    const guard = /NOT throwIf\(\(SELECT max\(id\) FROM stg\.lease\) > \{(load|lease)_id:UInt64\}/;
    for (const commit of commits) expect(commit).toMatch(guard);
  });

  test("stays fenced if a slow contender wins the election of its number", async () => {
    const early = await readHolder(db);
    const { lease, end } = await hold("slow");
    expect(lease.id).toBe(Math.max(early.id, early.last_id) + 1);
    await withLease(db, "successor", async () => undefined, SOON);
    const late = elect(db, early);
    await expect(lease.db.run("INSERT INTO default.one SELECT 2")).rejects.toThrow(LeaseLost);
    expect(await late).toBeUndefined();
    await expect(lease.db.run("INSERT INTO default.one SELECT 2")).rejects.toThrow(LeaseLost);
    await end();
    expect(await leaseDatabases()).toEqual([]);
    expect(await db.rows("SELECT n FROM default.one")).toEqual([]);
  });

  test("runs no further statement of its step, and nothing of the load counts", async () => {
    const { messages } = await generateMessages("lease", 2);
    await publish(db, messages);
    const { steps, params } = readPlan();
    // The streams in turn.
    const plan = { steps, params: { ...params, rows_side_by_side: 0 } };
    const step = findStep(plan, "load_ods");
    const sent: string[] = [];
    const slow = beforeStatements(db, async (sql) => {
      if (sql.includes("INSERT INTO stg.lease")) return;
      sent.push(sql);
      if (sql.includes("INSERT INTO ods.device_parsed")) {
        await withLease(db, "successor", async () => undefined, SOON);
      }
    });
    const run = runStep(slow, plan, step, { fullRefresh: false, waitSeconds: 1 });
    await expect(run).rejects.toThrow(/^load_ods lost its lease/);
    expect(sent.at(-1)).toContain("ods.device_parsed");
    const counted = "(SELECT count() FROM ods.load_commit) AS commits";
    const written = "(SELECT count() FROM ods.browser_event) > 0 AS has_rows";
    expect(await db.rows(`SELECT ${counted}, ${written}`)).toEqual([{ commits: 0, has_rows: 1 }]);
    await clearLayers(db);
  });
});

const isCommit = (sql: string): boolean => /^INSERT INTO \w+\.load_commit\b/m.test(sql);

test("numbers continue after the layers were emptied", async () => {
  const before = await withLease(db, "before", async ({ id }) => id);
  await clearLayers(db);
  expect(await withLease(db, "after", async ({ id }) => id)).toBeGreaterThan(before);
});

test("a lease of an earlier run of a local engine is over at once", async () => {
  const { last_id, now_ms } = await readHolder(db);
  const name = `eventpipeline_lease_${last_id + 1}`;
  await db.run(`CREATE DATABASE ${name} COMMENT '${name}_token ${now_ms} another-run'`);
  await expect(withLease(db, "next", async ({ id }) => id, { waitMs: 600 })).resolves.toBe(
    last_id + 2,
  );
});
