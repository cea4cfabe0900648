import { expect, test } from "vitest";
import { copyForPage } from "../support/how-to.ts";

const { apply, run, changedFiles } = copyForPage("add-a-mart");

/** Loads a history, then a few messages that were late; prints how both loads published the mart. */
const LOADS = `
  import { openTestEngine } from "./test/support/engine.ts";
  import { generateMessages } from "./test/support/messages.ts";
  import { load, publish } from "./test/support/pipeline.ts";
  import { proveDeep } from "./warehouse/reconciliation/deep.ts";
  await using engine = await openTestEngine();
  const { db } = engine;
  const rows = () => db.rows("SELECT * FROM dm.session_page ORDER BY click_id, page_url_path");
  const loadNew = async () =>
    Object.assign({}, ...(await load(db, "incremental")).map(({ published }) => published))["dm.session_page"];
  const { messages } = await generateMessages("add a mart", 30);
  const isLate = (_, place) => place % 400 === 0;
  await publish(db, messages.filter((...one) => !isLate(...one)));
  const published = [await loadNew()];
  const first = await rows();
  await publish(db, messages.filter(isLate));
  published.push(await loadNew());
  const incremental = await rows();
  const { lines } = await proveDeep(db);
  await load(db, "full");
  const full = await rows();
  const compared = lines.filter(({ table }) => table === "session_page").map(({ isEqual }) => isEqual);
  console.log(JSON.stringify({ published, compared, first, incremental, full }));`;

test("the mart of the page passes the checks, and a load changes it as a full refresh does", () => {
  apply();
  run("scripts/record-schema.ts");
  run("scripts/write-docs.ts");
  expect(changedFiles()).toHaveLength(8);

  run("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", ".");
  run("node_modules/typescript/bin/tsc", "--noEmit");
  run("node_modules/vitest/vitest.mjs", "run", "--project", "unit", "test/unit/contract");
  const files = ["expected-rows", "comments", "publish"].map(
    (name) => `test/engine/${name}.test.ts`,
  );
  const named = ["-t", "etl/dm/session_page.sql|^every|^few changed ids"];
  run("node_modules/vitest/vitest.mjs", "run", "--project", "engine", ...files, ...named);

  const printed = run("--input-type=module", "--eval", LOADS);
  const { published, compared, first, incremental, full } = JSON.parse(printed);
  expect(published).toEqual(["whole table", "changed rows"]);
  expect(first).not.toEqual(incremental);
  expect(incremental).toEqual(full);
  expect(new Set(compared)).toEqual(new Set([true]));
});
