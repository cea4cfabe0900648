import { beforeAll, expect, test } from "vitest";
import { readDeclared } from "../../warehouse/declared.ts";
import { digests } from "../../warehouse/reconciliation/digests.ts";
import { openTestEngine } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  uuid,
} from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeAll(async () => {
  // One row with a value everywhere, and one with NULLs: both must count.
  await publish(engine.db, [
    browserMessage({}),
    locationMessage({}),
    deviceMessage({ user_domain_id: uuid(9) }),
    geoMessage({}),
    browserMessage({ event_id: uuid(2), click_id: uuid(200) }),
    deviceMessage({ click_id: uuid(200), device_is_mobile: null }),
    geoMessage({ click_id: uuid(200), geo_latitude: null }),
  ]);
  await load(engine.db, "full");
  // A row of another load counts if that load is committed.
  await engine.db.run(
    "INSERT INTO ods.load_commit (load_id) SELECT load_id + 1 FROM ods.load_commit",
  );
});

const LOAD_METADATA_COLUMNS =
  /^(epoch|_topic|_partition|_offset|_timestamp|emitted_at|ingested_at|load_id|superseded)$/;

/** An expression that changes a value of any column type. */
function changed(column: string, type: string): string {
  if (type.startsWith("Map")) return `mapUpdate(${column}, map('x', 'x'))`;
  if (type.startsWith("Array")) return `arrayPushBack(${column}, 'x')`;
  if (type.includes("UUID")) return "toUUID('11111111-1111-4111-8111-111111111111')";
  if (type.includes("String")) return `concat(${column}, 'x')`;
  if (type.includes("Bool")) return `NOT ifNull(${column}, false)`;
  return `ifNull(${column}, 0) + 1`;
}

test("a digest has 16 hexadecimal digits, also if it begins with zeros", async () => {
  // The sum of no rows is 0.
  await using empty = await openTestEngine();
  const lines = await digests(empty.db);
  expect(lines.filter(({ digest }) => !/^[0-9A-F]{16}$/.test(digest))).toEqual([]);
});

const tables = ["ods.browser_event", "ods.location_event", "ods.device_event", "ods.geo_event"];
const derived = ["dds.event", "dds.click", "dm.event_enriched", "dm.session", "dm.visitor"];

test.each([...tables, ...derived])("every column of every row of %s counts", async (table) => {
  const { db } = engine;
  const digestOf = async () => (await digests(db)).find((line) => line.name === table)?.digest;
  const original = await digestOf();
  const declared = readDeclared().find(({ object }) => object === table);
  await db.run(`CREATE TABLE stg.kept ENGINE = Memory AS SELECT * FROM ${table}`);
  const [rows] = await db.rows<{ count: number }>("SELECT count() AS count FROM stg.kept");
  for (const text of declared?.columns ?? []) {
    const [column = "", type = ""] = [text.split(" ", 1)[0], text.slice(text.indexOf(" ") + 1)];
    for (let row = 0; row < (rows?.count ?? 0); row++) {
      await db.run(`TRUNCATE TABLE ${table}`);
      await db.run(
        `INSERT INTO ${table} SELECT * EXCEPT (row)
           REPLACE (if(row = ${row}, ${changed(column, type)}, ${column}) AS ${column})
         FROM (SELECT *, rowNumberInAllBlocks() AS row FROM stg.kept)`,
      );
      const isPart = !LOAD_METADATA_COLUMNS.test(column);
      expect((await digestOf()) !== original, `${column} of row ${row}`).toBe(isPart);
    }
  }
  await db.run(`TRUNCATE TABLE ${table}`);
  await db.run(`INSERT INTO ${table} SELECT * FROM stg.kept`);
  await db.run("DROP TABLE stg.kept SYNC");
  expect(await digestOf()).toBe(original);
});
