import { expect, test } from "vitest";
import { copyForPage } from "../support/how-to.ts";
import { useFolder } from "../support/use-folder.ts";

const { apply, run, changedFiles } = copyForPage("add-a-column-to-a-mart");
const workspace = useFolder("older");

const runScript = (script: string): string => run("--input-type=module", "--eval", script);

/** Fills a workspace before the column exists. */
const BEFORE = `
  import { openTestEngine } from "./test/support/engine.ts";
  import { generateMessages } from "./test/support/messages.ts";
  import { load, publish } from "./test/support/pipeline.ts";
  await using engine = await openTestEngine({ directory: ${JSON.stringify(workspace)} });
  await publish(engine.db, (await generateMessages("add a column", 10)).messages);
  await load(engine.db, "incremental");`;

/** Loads that workspace with the column; prints what its rows say. */
const AFTER = `
  import { openTestEngine } from "./test/support/engine.ts";
  import { load } from "./test/support/pipeline.ts";
  import { proveDeep } from "./warehouse/reconciliation/deep.ts";
  import { ensureSchema } from "./warehouse/schema/ddl.ts";
  await using engine = await openTestEngine({ directory: ${JSON.stringify(workspace)} });
  const { db } = engine;
  await ensureSchema(db);
  await load(db, "incremental");
  const [counted] = await db.rows("SELECT sum(different_pages) AS session FROM dm.session");
  const [expected] = await db.rows(\`SELECT uniqExact(click_id, page_url_path) AS session FROM dm.page_view
    WHERE event_id IN (SELECT event_id FROM dds.event WHERE NOT has(markers, 'location_not_found'))\`);
  const { layers, unchecked } = await proveDeep(db);
  console.log(JSON.stringify({ counted, expected, layers, unchecked }));`;

test("the column of the page passes the checks, and an older workspace gets it", () => {
  runScript(BEFORE);
  apply();
  expect(() => runScript(AFTER)).toThrow("does not describe sql/ddl as it is now");
  run("scripts/record-schema.ts");
  run("scripts/write-docs.ts");
  expect(changedFiles()).toEqual([
    "docs/reference/tables.md",
    "sql/ddl/40_dm/20_session.sql",
    "sql/etl/dm/session.sql",
    "sql/schema.json",
    "test/engine/expected-rows/etl/dm/session.yaml",
  ]);

  run("node_modules/vitest/vitest.mjs", "run", "--project", "unit", "test/unit/superset");
  const files = ["expected-rows", "comments"].map((name) => `test/engine/${name}.test.ts`);
  const named = ["-t", "etl/dm/session.sql|^every"];
  run("node_modules/vitest/vitest.mjs", "run", "--project", "engine", ...files, ...named);

  const { counted, expected, layers, unchecked } = JSON.parse(runScript(AFTER));
  expect(counted.session).toBeGreaterThan(100);
  expect({ counted, layers, unchecked }).toEqual({ counted: expected, layers: [], unchecked: [] });
});
