import { globSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { requireRestorable, restoreSnapshot } from "../../warehouse/keep/restore.ts";
import { takeSnapshot } from "../../warehouse/keep/snapshot.ts";
import { readSnapshots } from "../../warehouse/keep/snapshots.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { findDifferences } from "../../warehouse/schema/differences.ts";
import { clearAll, openTestEngine } from "../support/engine.ts";
import { digestsOf, load, loadSample } from "../support/pipeline.ts";
import {
  beforeStatements,
  killedAt,
  replaceMethods,
  statementsOf,
} from "../support/replace-methods.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { useFolder } from "../support/use-folder.ts";

const state = useFolder("snapshots");
// The engine reads it when it starts.
vi.stubEnv("EVENT_PIPELINE_STATE", state);
const folder = join(state, "snapshots");
const engine = useTestEngine();
let db: Database;
beforeAll(() => {
  db = engine.db;
});
beforeEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await clearAll(db);
  await addRows(20);
});

const addRows = (limit: number) => loadSample(db, limit);

const take = async (name?: string, keep = 7) => (await takeSnapshot(db, { name, keep })).snapshot;
const restore = async (name: string, into: Database = db) =>
  restoreSnapshot(into, await requireRestorable(into, name));
const listed = async () => (await readSnapshots(db)).finished.map(({ name }) => name);
const unfinished = async () => (await readSnapshots(db)).unfinished.map(({ name }) => name);

/** Acts after the files of a snapshot are written. */
const afterBackup = (act: () => void): Database =>
  replaceMethods(db, {
    inDatabase: (name) => {
      const inner = db.inDatabase(name);
      return replaceMethods(inner, {
        close: () => inner.close(),
        rows: async <T>(...[sql, params]: Parameters<Database["rows"]>): Promise<T[]> => {
          const result = await inner.rows<T>(sql, params);
          if (sql.startsWith("BACKUP")) act();
          return result;
        },
      });
    },
  });

test("a restored snapshot has its rows, and later loads go on from it", async () => {
  const first = await digestsOf(db);
  await take("first");
  await addRows(40);
  const second = await digestsOf(db);
  expect(second).not.toEqual(first);
  const { base, bytes } = await take("second");
  expect(base).toBe("first");
  expect(bytes).toBeGreaterThan(0);
  await restore("first");
  expect(await digestsOf(db)).toEqual(first);
  expect(await prove(db)).toMatchObject({ verdict: "accounted", unaccounted: 0 });
  await restore("second");
  expect(await digestsOf(db)).toEqual(second);
  await addRows(60);
  expect(await prove(db)).toMatchObject({ verdict: "accounted", unaccounted: 0 });
});

test("a new workspace takes a snapshot of another one, whose numbers of loads go on", async () => {
  const digests = await digestsOf(db);
  for (const _ of [1, 2, 3]) await load(db, "full");
  await take("moved");
  await using other = await openTestEngine({ withSchema: false });
  await restore("moved", other.db);
  expect(await digestsOf(other.db)).toEqual(digests);
  await load(other.db, "full");
  expect(await prove(other.db)).toMatchObject({ verdict: "accounted", unaccounted: 0 });
  const [row] = await other.db.rows<{ last: number; loads: number }>(
    "SELECT max(id) AS last, (SELECT max(load_id) FROM ods.load_range) AS loads FROM stg.lease",
  );
  expect(row?.last).toBeGreaterThan(row?.loads ?? 0);
});

test("a snapshot that is cut anywhere is not listed, and the next one removes its remains", async () => {
  const statements = await statementsOf(db, (cut) => takeSnapshot(cut, { name: "whole", keep: 7 }));
  const last = statements.length;
  for (const number of [1, 9, last - 1, last]) {
    const cut = takeSnapshot(killedAt(db, number), { name: "cut", keep: 7 });
    await expect(cut, statements[number - 1]).rejects.toThrow("killed");
    expect(await listed()).toEqual(["whole"]);
    expect(await unfinished()).toEqual(number > 1 ? ["cut"] : []);
    await expect(requireRestorable(db, "cut")).rejects.toThrow("The snapshot cut");
  }
  await take("cut");
  expect(await listed()).toEqual(["whole", "cut"]);
  expect(await unfinished()).toEqual([]);
});

test("one whose manifest is not readable is kept with what it may need", async () => {
  await take();
  await take("first");
  await take("second");
  const manifest = join(folder, "first", "manifest.json");
  const content = readFileSync(manifest, "utf8");
  writeFileSync(manifest, content.replace('"isNamed"', '"wasNamed"'));
  expect(await unfinished()).toEqual([]);
  expect((await readSnapshots(db)).unreadable).toEqual(["first"]);
  await expect(restore("first")).rejects.toThrow("first has a manifest that is not readable");
  const { deleted } = await takeSnapshot(db, { keep: 1, name: "third" });
  expect(deleted).toEqual([]);
  writeFileSync(manifest, content);
  await restore("second");
});

test("a base that lost files or is gone is none, and what needs it is refused", async () => {
  await take("first");
  const [file = ""] = globSync(join(folder, "first/data/data/dds/event/*/data.bin"));
  const content = readFileSync(file);
  truncateSync(file, 10);
  expect((await take("second")).base).toBe(null);
  writeFileSync(file, content);
  expect((await take("third")).base).toBe("second");
  rmSync(join(folder, "second"), { recursive: true });
  await expect(restore("third")).rejects.toThrow(
    "The snapshot third needs files of second, which does not exist",
  );
  expect((await take("fourth")).base).toBe("first");
});

test("a snapshot whose base is deleted while it is made is not listed", async () => {
  await take("first");
  const client = afterBackup(() => rmSync(join(folder, "first"), { recursive: true }));
  await expect(takeSnapshot(client, { name: "second", keep: 7 })).rejects.toThrow(
    "second was not made, because first was deleted",
  );
  expect(await listed()).toEqual([]);
});

describe("a restore that is cut", () => {
  test("after its readers may have moved is refused by loads until it is repeated", async () => {
    await take("first");
    const snapshot = await requireRestorable(db, "first");
    const move = async () => {
      throw new Error("killed");
    };
    const readers = { admin: {} as Admin, move };
    await expect(restoreSnapshot(db, snapshot, readers)).rejects.toThrow("killed");
    await expectRefusals();
    // An earlier restore has moved the readers.
    const statements = await statementsOf(db, (cut) => restoreSnapshot(cut, snapshot));
    await expect(restoreSnapshot(db, snapshot, readers)).rejects.toThrow("killed");
    const number = statements.findIndex((sql) => sql.startsWith("EXCHANGE"));
    await expect(restoreSnapshot(killedAt(db, number), snapshot)).rejects.toThrow("killed");
    await expectRefusals();
    await restore("first");
    await load(db, "incremental");
  });

  test("before the exchange changes nothing", async () => {
    await take("first");
    await addRows(40);
    const now = await digestsOf(db);
    const statements = await statementsOf(db, (cut) => restore("first", cut));
    await addRows(40);
    const exchange = statements.findIndex((sql) => sql.startsWith("EXCHANGE"));
    for (const number of [1, 3, 19, exchange]) {
      await expect(restore("first", killedAt(db, number))).rejects.toThrow("killed");
      expect(await digestsOf(db), statements[number - 1]).toEqual(now);
      expect(await prove(db)).toMatchObject({ verdict: "accounted" });
    }
  });

  test("in the exchange is refused by loads and prove until it is repeated", async () => {
    const first = await digestsOf(db);
    await take("first");
    await addRows(40);
    const half = beforeStatements(db, async (sql) => {
      if (!sql.startsWith("EXCHANGE")) return;
      const fence = (await db.rows<{ name: string }>(FENCE))[0]?.name ?? "";
      const pairs = sql.replace("EXCHANGE TABLES ", "").split(", ").slice(0, 12);
      const client = db.inDatabase(fence);
      await client.run(`EXCHANGE TABLES ${pairs.join(", ")}`);
      await client.close();
      throw new Error("killed");
    });
    await expect(restore("first", half)).rejects.toThrow("killed");
    await expectRefusals();
    await restore("first");
    expect(await digestsOf(db)).toEqual(first);
    await load(db, "incremental");
    expect(await prove(db)).toMatchObject({ verdict: "accounted", unaccounted: 0 });
  });
});

/** Expects that loads and `prove` name the restore of `first`. */
async function expectRefusals(): Promise<void> {
  const refusal = {
    message: expect.stringContaining("the restore of first has not ended"),
    hint: expect.stringContaining(`pipeline restore first --database ${engine.directory}`),
  };
  await expect(load(db, "incremental")).rejects.toMatchObject(refusal);
  await expect(prove(db)).rejects.toMatchObject(refusal);
}

const FENCE = "SELECT name FROM system.databases WHERE match(name, '^eventpipeline_lease_\\\\d+_')";

test("damaged files and manifests are refused before any change", async () => {
  await take("first");
  await addRows(40);
  const now = await digestsOf(db);
  const manifest = join(folder, "first", "manifest.json");
  const content = readFileSync(manifest, "utf8");
  const change = (from: RegExp, to: string) => writeFileSync(manifest, content.replace(from, to));
  change(/"dds.event":\{"rows":\d+/, '"dds.event":{"rows":1');
  await expect(restore("first")).rejects.toThrow(
    /differ from its manifest in dds.event. Nothing was changed/,
  );
  writeFileSync(manifest, content);
  const [file = ""] = globSync(join(folder, "first/data/data/dds/event/*/data.bin"));
  truncateSync(file, 10);
  await expect(restore("first")).rejects.toThrow(
    /could not restore the snapshot first. Nothing was changed/,
  );
  expect(await digestsOf(db)).toEqual(now);
});

test("a snapshot of another version says what it needs", async () => {
  await take("first");
  const manifest = join(folder, "first", "manifest.json");
  const content = readFileSync(manifest, "utf8");
  const change = (from: RegExp, to: string) => writeFileSync(manifest, content.replace(from, to));
  change(/"schema":"\w+"/, '"schema":"0123456789abcdef"');
  await expect(restore("first")).rejects.toMatchObject({
    message: expect.stringContaining("schema 0123456789abcdef, here "),
    hint: expect.stringContaining("git log -S 0123456789abcdef -- sql/schema.json"),
  });
  change(/"clickhouse":"[\d.]+"/, '"clickhouse":"99.1.2.3"');
  await expect(restore("first")).rejects.toMatchObject({
    hint: "restore it with ClickHouse 99.1.2.3 or later",
  });
});

test("what ClickHouse cannot write is not listed", async () => {
  mkdirSync(join(folder, "full"), { recursive: true });
  writeFileSync(join(folder, "full/data"), "");
  await expect(take("full")).rejects.toMatchObject({
    message: expect.stringContaining("could not write the snapshot full"),
    hint: "correct what ClickHouse says, then retry",
  });
  expect(await listed()).toEqual([]);
});

test("a backup whose files were cut by a full disk is not listed", async () => {
  const cut = afterBackup(() => truncateSync(join(folder, "cut/data/.backup"), 0));
  await expect(takeSnapshot(cut, { name: "cut", keep: 7 })).rejects.toMatchObject({
    message: expect.stringMatching(/bytes were written$/),
    hint: "make room on the disk, then retry",
  });
  expect(await listed()).toEqual([]);
});

test("keeps the number, what those need, and names of the user; each kept one is restorable", async () => {
  await take("named");
  const all: string[] = [];
  /** Takes one more. @returns what there is, each with its base */
  const kept = async () => {
    // Two in one second would have the same name.
    await vi.waitFor(async () => all.push((await take(undefined, 2)).name), { timeout: 60_000 });
    return (await readSnapshots(db)).finished.map(({ name, base }) => [name, base]);
  };
  expect(await kept()).toEqual([
    ["named", null],
    [all[0], "named"],
  ]);
  for (const _ of [1, 2]) await kept();
  const fourth = await kept();
  expect(fourth).toEqual([
    ["named", null],
    [all[1], null],
    [all[2], all[1]],
    [all[3], null],
  ]);
  const last = await kept();
  expect(last).toEqual([
    ["named", null],
    [all[3], null],
    [all[4], all[3]],
  ]);
  for (const [name] of last) await restore(name ?? "");
});

test("another server's snapshots in the folder are neither a base nor deleted", async () => {
  const server = replaceMethods(db, {});
  const { directory: _, ...other } = server;
  await take("first");
  const { snapshot, deleted } = await takeSnapshot(other, { keep: 1 });
  expect([snapshot.base, deleted]).toEqual([null, []]);
  expect(snapshot.owner).toMatch(/^server [0-9a-f-]{36}$/);
});

test("a restore replaces tables of another version, and brings its own views", async () => {
  await take("first");
  await db.run("ALTER TABLE dm.visitor ADD COLUMN later UInt8");
  await db.run("DROP VIEW dm.v_funnel");
  await restore("first");
  expect(await findDifferences(db, "all")).toEqual([]);
});
