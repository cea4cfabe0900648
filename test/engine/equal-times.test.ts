import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { openDataset } from "../../generator/dataset/format.ts";
import { followClick } from "../../warehouse/follow/follow.ts";
import { filesOf } from "../../warehouse/import/files.ts";
import { importFiles } from "../../warehouse/import/import.ts";
import { readSource } from "../../warehouse/import/source.ts";
import { loadIntoStg } from "../../warehouse/loader/stg.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { openTestEngine } from "../support/engine.ts";
import { load } from "../support/pipeline.ts";
import { folderOfTest } from "../support/use-folder.ts";

const VISITORS = 30;
/** Session and page of each visitor's rows, in the order of the files. */
const PAGES = ["a /z", "a /m", "b /b", "b /y", "a /k", "b /c"];

/** Loads two files whose rows have one time, and in which the visitors alternate. */
async function loadEqualTimes(db: Database, columns: string): Promise<void> {
  const dir = folderOfTest("equal-times");
  const [files, set, select] = [join(dir, "files"), join(dir, "set"), join(dir, "select.sql")];
  const rows = PAGES.flatMap((page) =>
    Array.from({ length: VISITORS }, (_, visitor) =>
      `2026-07-05 09:00,v${visitor},v${visitor} ${page}`.replace(/ (?=\/)/, ","),
    ),
  );
  mkdirSync(files);
  for (const half of [0, 1]) {
    const part = rows.slice((half * rows.length) / 2, ((half + 1) * rows.length) / 2);
    writeFileSync(join(files, `${half}.csv`), ["time,visitor,session,url", ...part].join("\n"));
  }
  writeFileSync(
    select,
    `-- source: test\n\nSELECT row, time, visitor AS visitor_id, url AS page_url${columns} FROM input`,
  );
  await importFiles(filesOf([files]), readSource(select), { dir: set, rowsAtOnce: 20 });
  await loadIntoStg(db, await openDataset(set), { limit: 0, reset: true });
  await load(db, "full");
}

/** Returns the different values of a column, which all visitors should share. */
async function valuesOf(db: Database, sql: string): Promise<unknown[]> {
  const rows = await db.rows<{ value: unknown }>(`SELECT DISTINCT value FROM (${sql}) ORDER BY 1`);
  return rows.map(({ value }) => value);
}

test("sessions and pages of one time keep the order of the files", async () => {
  await using engine = await openTestEngine();
  const { db } = engine;
  await loadEqualTimes(db, ", session AS session_id");
  const first = ["/z", "/m", "/k"];
  const second = ["/b", "/y", "/c"];
  for (const [table, order] of [
    ["dm.page_view", "page_number"],
    ["dm.event_enriched", "_offset"],
  ]) {
    const inOrder = `SELECT * FROM ${table} ORDER BY event_timestamp, ${order}`;
    const pages = `SELECT groupArray(page_url_path) AS value FROM (${inOrder}) GROUP BY click_id`;
    expect(await valuesOf(db, pages)).toEqual([second, first]);
  }
  const session = "(session_number, entry_page, exit_page, is_new) AS value FROM dm.session";
  expect(await valuesOf(db, `SELECT ${session}`)).toEqual([
    [1, "/z", "/k", true],
    [2, "/b", "/c", false],
  ]);
  const visitor = "(first_entry_page, last_entry_page) AS value FROM dm.visitor";
  expect(await valuesOf(db, `SELECT ${visitor}`)).toEqual([["/z", "/b"]]);
  const [{ click_id = "" } = {}] = await db.rows<{ click_id: string }>(
    "SELECT toString(click_id) AS click_id FROM dm.session WHERE is_new LIMIT 1",
  );
  const { events } = await followClick(db, click_id);
  expect(events.map(({ page_url_path }) => page_url_path)).toEqual(first);
  expect((await proveDeep(db)).layers).toEqual([]);
});

test("pages of one time keep the order of the files where the sessions are not given", async () => {
  await using engine = await openTestEngine();
  await loadEqualTimes(engine.db, "");
  expect(
    await valuesOf(
      engine.db,
      "SELECT arraySort(groupArray((page_number, page_url_path))).2 AS value FROM dm.page_view GROUP BY click_id",
    ),
  ).toEqual([PAGES.map((page) => page.slice(2))]);
});
