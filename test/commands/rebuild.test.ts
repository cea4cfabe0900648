import { expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { ddlFiles } from "../../warehouse/ddl-files.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { rebuildLayer } from "../../warehouse/reconciliation/rebuild.ts";
import { applyDdl, ensureSchema } from "../../warehouse/schema/ddl.ts";
import { compareSchema } from "../../warehouse/schema/differences.ts";
import { readSnapshot } from "../../warehouse/schema/snapshot.ts";

import { pipelineAsync } from "../support/cli.ts";
import { openTestEngine } from "../support/engine.ts";
import { generateMessages } from "../support/messages.ts";
import { digestsFromScratch, digestsOf, load, publish } from "../support/pipeline.ts";
import { openTestServer } from "../support/server.ts";

const inBoth =
  "INSERT INTO stg.raw (_topic, epoch, _partition, _offset) VALUES ('geo_events', 1, 0, 1)";
const inOds = (offset: number) =>
  `INSERT INTO ods.geo_event (_topic, epoch, _partition, _offset, load_id) VALUES ('geo_events', 1, 0, ${offset}, 1)`;

test("a rebuild of ods asks for confirmation if stg lacks its rows", async () => {
  await using server = await openTestServer();
  const { db } = server;
  const ddl = (words: readonly string[], env = {}) =>
    pipelineAsync(["ddl", ...words], { ...server.env, ...env });
  const rows = async () =>
    (await db.rows<{ n: number }>("SELECT count() AS n FROM ods.geo_event"))[0]?.n;
  expect((await ddl([])).status).toBe(0);
  for (const sql of [inBoth, inOds(1), inOds(2)]) await db.run(sql);

  const refused = await ddl(["--rebuild", "ods"]);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(
    /ods holds the only copy of 1 geo messages.*Nothing was changed\n {2}hint: .*pipeline ddl --rebuild ods --yes/,
  );
  expect(await rows()).toBe(2);
  // Layers above are recomputed from ods.
  expect((await ddl(["--rebuild", "dds"])).status).toBe(0);
  expect(await rows()).toBe(2);

  expect((await ddl(["--rebuild", "ods", "--yes"])).status).toBe(0);
  expect(await rows()).toBe(0);
  await db.run(inOds(2));
  expect((await ddl(["--rebuild", "ods"], { YES: "1" })).status).toBe(0);
  // Rows in stg can be reloaded, so no confirmation is needed.
  await db.run(inOds(1));
  expect((await ddl(["--rebuild", "ods"])).status).toBe(0);
  expect(await rows()).toBe(0);
});

test("ddl refuses marts with other keys, and a rebuild of dm gives them the present ones", async () => {
  await using engine = await openTestEngine();
  const { db } = engine;
  await publish(db, (await generateMessages("keys", 1)).messages);
  await load(db, "incremental");
  const digests = await digestsOf(db);
  await db.run(`CREATE TABLE dm.kept AS dm.session PARTITION BY toStartOfMonth(session_date)
    ORDER BY (session_date, click_id) SETTINGS index_granularity = 1024`);
  await db.run("INSERT INTO dm.kept SELECT * FROM dm.session");
  await db.run("DROP TABLE dm.session SYNC");
  await db.run("RENAME TABLE dm.kept TO dm.session");
  await db.run("DROP VIEW dm.v_totals");
  await expect(applyDdl(db, "all")).rejects.toThrow(
    "dm.session: partition key toStartOfMonth(session_date); sorting key session_date, click_id. Nothing was changed",
  );
  expect(compareSchema(await readSnapshot(db), "all").map(({ object }) => object)).toEqual([
    "dm.session",
    "dm.v_totals",
  ]);
  expect(await digestsOf(db)).toEqual(digests);

  await rebuildLayer(db, "dm");
  await applyDdl(db, "all");
  expect(compareSchema(await readSnapshot(db), "all")).toEqual([]);
  await load(db, "incremental");
  expect(await digestsOf(db)).toEqual(digests);
});

test("a rebuild of dm drops its commits, too, so that the next load fills it", async () => {
  await using engine = await openTestEngine();
  const { db } = engine;
  await publish(db, (await generateMessages("commits", 1)).messages);
  await load(db, "incremental");
  const digests = await digestsOf(db);
  await rebuildLayer(db, "dm");
  await applyDdl(db, "all");
  expect(await db.rows("SELECT * FROM dm_internal.load_commit")).toEqual([]);
  await load(db, "incremental");
  expect(await digestsOf(db)).toEqual(digests);
});

/** Makes the tables those of an older version, which knew no currency and no entry page. */
async function makeOlder(db: Database): Promise<void> {
  for (const view of ["ods.browser_event_mv", "ods.browser_event_errors_mv", "dm.v_totals"])
    await db.run(`DROP VIEW ${view} SYNC`);
  for (const table of ["ods.browser_event", "ods.browser_parsed", "dds.event", "dm.event_enriched"])
    await db.run(`ALTER TABLE ${table} DROP COLUMN currency`);
  const views = ddlFiles().filter(({ path }) => path === "ddl/20_ods/11_every_stream.sql");
  for (const statement of views.flatMap(({ statements }) => statements)) await db.run(statement);
  const time = "time_range (session_date, started_at) TYPE minmax";
  await db.run(
    `ALTER TABLE dm.session DROP INDEX time_range, DROP COLUMN entry_page, ADD COLUMN first_page String, ADD INDEX ${time}`,
  );
  await db.run("DROP FUNCTION dm_channel");
  for (const table of ["dds.load_commit", "dm_internal.load_commit"])
    await db.run(`ALTER TABLE ${table} UPDATE definition = 'older' WHERE true`);
}

test("ddl gives tables of an older version their new columns, and the next load fills them", async () => {
  await using engine = await openTestEngine();
  const { db } = engine;
  const { messages } = await generateMessages("older", 2);
  await publish(db, messages.slice(0, messages.length / 2));
  await load(db, "incremental");
  await makeOlder(db);
  await publish(db, messages.slice(messages.length / 2));
  await expect(load(db, "incremental")).rejects.toThrow(
    /load_dds: the schema is .* of another version/,
  );

  await ensureSchema(db);
  expect(compareSchema(await readSnapshot(db), "all")).toEqual([]);
  const rows = "SELECT DISTINCT entry_page FROM dm.session";
  expect(await db.rows(rows)).toEqual([{ entry_page: "" }]);
  await load(db, "incremental");
  const digests = await digestsOf(db);
  expect(await proveDeep(db)).toMatchObject({ layers: [], rows: [], unchecked: [] });
  expect(await digestsFromScratch(db)).toEqual(digests);
});
