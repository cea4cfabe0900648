import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { copyProject } from "../support/copy-project.ts";
import { blocksOf, ROOT } from "../support/page-blocks.ts";

const page = readFileSync(join(ROOT, "docs/how-to/add-a-mart.md"), "utf8");
/** Files whose path is in the heading above their content. */
const created = [...page.matchAll(/^## [^\n]*`([\w/.-]+)`\n(.*?)(?=^## )/gms)].map(
  ([, path = "", section = ""]) => ({ path, text: `${blocksOf(section)[0]?.code}\n` }),
);
const [insertions = ""] = blocksOf(page).flatMap(({ language, code }) =>
  language === "diff" ? [`${code}\n`] : [],
);
const changed = insertions.split(/^--- /m).slice(1).map(toInsertion);

/** Reads a file's path, the line that it has, and the lines to insert below it. */
function toInsertion(text: string) {
  const [path = "", line = "", ...added] = text.trimEnd().split("\n");
  return {
    path,
    line: `${line.slice(1)}\n`,
    added: added.map((one) => `${one.replace(/^\+/, "")}\n`).join(""),
  };
}

const copy = copyProject("add-a-mart-");
afterAll(() => rmSync(copy, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

function run(...args: string[]): string {
  const env = { ...process.env, VITEST: undefined, NODE_ENV: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: "utf8",
    env,
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

const git = (...args: string[]): string =>
  spawnSync("git", args, { cwd: copy, encoding: "utf8" }).stdout.trimEnd();

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
  git("init", "--quiet");
  git("add", "--all");
  for (const { path, text } of created) write(path, text);
  for (const { path, line, added } of changed) {
    const [before, after, ...others] = readFileSync(join(copy, path), "utf8").split(line);
    expect([path, after === undefined, others]).toEqual([path, false, []]);
    write(path, before + line + added + after);
  }
  run("scripts/record-schema.ts");
  run("scripts/write-docs.ts");
  git("add", "--all", "--intent-to-add");
  expect(git("diff", "--name-only").split("\n").length).toBe(8);

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
