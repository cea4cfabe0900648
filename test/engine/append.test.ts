import { beforeEach, expect, test } from "vitest";
import { openDataset } from "../../generator/dataset/format.ts";
import { loadToContinue } from "../../warehouse/loader/replaced.ts";
import { loadIntoStg } from "../../warehouse/loader/stg.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { clearAll } from "../support/engine.ts";
import { imported } from "../support/own-data.ts";
import { load } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

const select =
  "row, time, session AS session_id, visitor AS visitor_id, account AS account_id, url AS page_url, device";
const HEAD = "time,session,visitor,account,url,device";
const EARLIER = [
  "2026-07-05T23:50:00Z,s1,v1,,/home,Mobile",
  "2026-07-05T23:51:00Z,s2,v2,,/home,Desktop",
  "2026-07-05T23:51:00Z,s2,v2,,/cart,Desktop",
];
/** A login in an open session, an equal row of the earlier file, a new session twice at one time, and an equal row. */
const LATER = [
  "2026-07-06T00:02:00Z,s1,v1,a-1,/cart,Mobile",
  "2026-07-05T23:51:00Z,s2,v2,,/home,Desktop",
  "2026-07-06T00:05:00Z,s3,v1,,/z,Desktop",
  "2026-07-06T00:05:00Z,s3,v1,,/a,Desktop",
  "2026-07-06T00:05:00Z,s3,v1,,/a,Desktop",
];

const importRows = (set: string, name: string, rows: readonly string[], append = false) =>
  imported(set, { name, content: [HEAD, ...rows, ""].join("\n"), select, append });

async function loadFrom(out: string) {
  const dataset = await openDataset(out);
  const continued = await loadToContinue(engine.db, dataset);
  return loadIntoStg(engine.db, dataset, { limit: 0, reset: !continued, continued });
}

async function martsNow(): Promise<unknown> {
  const tables = ["dm.session", "dm.page_view", "dm.visitor"];
  const rows = tables.map((table) => engine.db.rows(`SELECT * FROM ${table} ORDER BY ALL`));
  return Promise.all(rows);
}

test("an append loads only the messages of its rows, and gives the marts of one import", async () => {
  const { out } = await importRows("append", "1.csv", EARLIER);
  await loadFrom(out);
  await load(engine.db, "full");
  await importRows("append", "2.csv", LATER, true);
  expect((await loadFrom(out)).counts).toEqual({ browser: 3, location: 3, device: 2, geo: 0 });
  await load(engine.db, "incremental");
  expect(await prove(engine.db)).toMatchObject({ verdict: "accounted", unaccounted: 0 });
  expect((await loadFrom(out)).counts).toEqual({ browser: 0, location: 0, device: 0, geo: 0 });
  const appended = await martsNow();

  await clearAll(engine.db);
  await loadFrom((await importRows("whole", "1.csv", [...EARLIER, ...LATER])).out);
  await load(engine.db, "full");
  expect(appended).toEqual(await martsNow());
});

test("an append that changes an earlier message loads all again", async () => {
  const { out } = await importRows("changed", "1.csv", EARLIER);
  await loadFrom(out);
  await importRows("changed", "2.csv", ["2026-07-05T23:00:00Z,s1,v1,,/early,Tablet"], true);
  expect(await loadToContinue(engine.db, await openDataset(out))).toBeUndefined();
});
