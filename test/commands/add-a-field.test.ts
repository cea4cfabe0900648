import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { copyForPage } from "../support/how-to.ts";
import { useFolder } from "../support/use-folder.ts";

const before = copyForPage("add-a-field");
const now = copyForPage("add-a-field");
const { copy, run } = now;
const folder = useFolder("evolution");

beforeAll(() => {
  now.apply();
  run("scripts/record-schema.ts");
  run("scripts/write-docs.ts");
});

/** Applies the DDL of a version to a workspace, loads messages one by one, and compares every layer with `stg`. */
const LOAD = `
  import { openTestEngine } from "./test/support/engine.ts";
  import { browserMessage, uuid } from "./test/support/messages.ts";
  import { load, publish } from "./test/support/pipeline.ts";
  import { proveDeep } from "./warehouse/reconciliation/deep.ts";
  import { rebuildLayer } from "./warehouse/reconciliation/rebuild.ts";
  import { applyDdl } from "./warehouse/schema/ddl.ts";
  const [directory, text] = process.argv.slice(1);
  const { messages = [], statement, rebuild } = JSON.parse(text);
  await using engine = await openTestEngine({ directory });
  const { db } = engine;
  if (statement) await db.run(statement);
  if (rebuild) await rebuildLayer(db, rebuild, true);
  const refused = await applyDdl(db, "all").then(() => "", (error) => error.message);
  const [{ sent }] = await db.rows("SELECT count() AS sent FROM stg.raw");
  if (refused === "" && sent > 0) await load(db, "incremental");
  for (const [index, fields] of messages.entries()) {
    const id = uuid(sent + index + 1);
    const time = new Date(Date.UTC(2026, 0, 1, 10, sent + index)).toISOString().replace(/T|Z/g, " ").trim() + "000";
    await publish(db, [browserMessage({ event_id: id, event_timestamp: time, ...fields })]);
    await load(db, "incremental");
  }
  const rows = await db.rows("SELECT * FROM dm.event_enriched ORDER BY event_timestamp");
  const { layers } = await proveDeep(db);
  console.log(JSON.stringify({ refused, rows, layers }));`;

interface Loaded {
  readonly refused: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Layers that differ from what stg says. */
  readonly layers: readonly string[];
}

interface Step {
  readonly messages?: readonly object[];
  readonly statement?: string;
  readonly rebuild?: "ods" | "dds";
}

const load = (version: typeof before, workspace: string, step: Step): Loaded =>
  JSON.parse(
    version.run(
      ...["--input-type=module", "--eval", LOAD],
      ...[join(folder, workspace), JSON.stringify(step)],
    ),
  );

/** Expects values of all events in order of time, in layers that equal what stg says. */
function expectValues({ refused, rows, layers }: Loaded, column: string, values: unknown[]): void {
  expect({ refused, values: rows.map((row) => row[column]), layers }).toEqual({
    refused: "",
    values,
    layers: [],
  });
}

const GRANTED = { consent: "granted" };
const DENIED = { consent: "denied" };

/** Replaces texts of files in the copy with the field. */
function edit(changes: Readonly<Record<string, readonly [from: string, to: string]>>): void {
  for (const [path, [from, to]] of Object.entries(changes)) {
    const file = join(copy, path);
    const text = readFileSync(file, "utf8");
    expect(text).toContain(from);
    writeFileSync(file, text.replaceAll(from, to));
  }
  run("scripts/record-schema.ts");
}

const TABLES = [
  "sql/ddl/20_ods/10_browser.sql",
  "sql/ddl/30_dds/10_event.sql",
  "sql/ddl/40_dm/10_event_enriched.sql",
];

test("the page names all files, which pass the checks", () => {
  run("node_modules/vitest/vitest.mjs", "run", "--project", "unit", "test/unit/superset", "-u");
  expect(now.changedFiles()).toEqual([
    "contract/streams.ts",
    "docs/reference/sources.md",
    "docs/reference/tables.md",
    "generator/catalogue/donors.ts",
    "sql/ddl/20_ods/10_browser.sql",
    "sql/ddl/30_dds/10_event.sql",
    "sql/ddl/40_dm/10_event_enriched.sql",
    "sql/schema.json",
    "superset/charts/overview.ts",
    "superset/dashboards/overview.ts",
    "test/engine/charts.yaml",
    "test/golden/superset/clickstream-overview.yaml",
  ]);
  run("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", ".");
  run("node_modules/typescript/bin/tsc", "--noEmit");
  const files = ["contract", "generator/messages"].map((name) => `test/unit/${name}`);
  run("node_modules/vitest/vitest.mjs", "run", "--project", "unit", ...files);
  const named = ["comments", "charts"].map((name) => `test/engine/${name}.test.ts`);
  const some = ["-t", "^every|^Consent"];
  run("node_modules/vitest/vitest.mjs", "run", "--project", "engine", ...named, ...some);
});

test("the generator and an import give the field", () => {
  const [file, select, out] = ["own.csv", "own.sql", "set"].map((name) => join(folder, name));
  writeFileSync(
    file as string,
    "time,session,page,consent\n2026-07-05 09:00:00,s,/home,granted\n2026-07-05 09:01:00,s,/cart,null\n",
  );
  const script = `
    import { readFileSync, writeFileSync } from "node:fs";
    import { zstdDecompressSync } from "node:zlib";
    import { openTestEngine } from "./test/support/engine.ts";
    import { generateMessages } from "./test/support/messages.ts";
    import { load, publish } from "./test/support/pipeline.ts";
    import { filesOf } from "./warehouse/import/files.ts";
    import { importFiles } from "./warehouse/import/import.ts";
    import { readSource } from "./warehouse/import/source.ts";
    import { starterSelect } from "./warehouse/import/starter.ts";
    const [file, select, dir] = process.argv.slice(1);
    writeFileSync(select, await starterSelect(file));
    await importFiles(filesOf([file]), readSource(select), { dir });
    const lines = zstdDecompressSync(readFileSync(dir + "/browser.jsonl.zst")).toString().trimEnd().split("\\n");
    await using engine = await openTestEngine();
    await publish(engine.db, (await generateMessages("consent", 5)).messages);
    await load(engine.db, "full");
    const generated = await engine.db.rows("SELECT consent, count() > 10 AS is_common FROM dm.event_enriched GROUP BY consent ORDER BY consent");
    console.log(JSON.stringify({ imported: lines.map((line) => JSON.parse(line).consent), generated }));`;
  const printed = run(
    "--input-type=module",
    "--eval",
    script,
    ...([file, select, out] as string[]),
  );
  expect(JSON.parse(printed)).toEqual({
    imported: ["granted", ""],
    generated: ["denied", "granted"].map((consent) => ({ consent, is_common: 1 })),
  });
});

test("old and new messages load in any order, with any type of event", () => {
  const messages = [{}, GRANTED, { event_type: "quiz" }, DENIED];
  const loaded = load(now, "any-order", { messages });
  expectValues(loaded, "consent", ["", "granted", "", "denied"]);
  expect(loaded.rows[2]).toMatchObject({ event_type: "quiz" });
});

test("messages that had the field before the column are read again by a rebuild of ods", () => {
  load(before, "early", { messages: [GRANTED] });
  const unread = load(now, "early", { messages: [DENIED] });
  expect(unread.rows.map(({ consent }) => consent)).toEqual(["", "denied"]);
  expect(unread.layers).toEqual(["ods"]);
  expectValues(load(now, "early", { rebuild: "ods" }), "consent", ["granted", "denied"]);
});

test("a removed field is refused until its column of ods is dropped; its messages are read without it", () => {
  expect(load(before, "any-order", {}).refused).toContain("column consent");
  const statement = "ALTER TABLE ods.browser_event DROP COLUMN consent";
  const loaded = load(before, "any-order", { statement, messages: [GRANTED] });
  expectValues(loaded, "consent", Array(5).fill(undefined));
});

test("a renamed field has the values of both names", () => {
  const line = "  consent: optional(category(";
  const column = "    consent            LowCardinality(String),\n";
  const renamed = column.replace("consent  ", "agreement");
  edit({
    "contract/streams.ts": [line, `  agreement: optional(category("")),\n${line}`],
    "sql/ddl/20_ods/10_browser.sql": [column, renamed + column],
    "sql/ddl/30_dds/10_event.sql": [column, renamed],
    "sql/ddl/40_dm/10_event_enriched.sql": [column, renamed],
    "sql/etl/dds/event.sql": [
      "    browser.* REPLACE (",
      "    browser.* REPLACE (if(browser.agreement = '', browser.consent, browser.agreement) AS agreement, ",
    ],
  });
  const loaded = load(now, "early", { messages: [{ agreement: "denied" }, GRANTED] });
  expectValues(loaded, "agreement", ["granted", "denied", "denied", "granted"]);
});

test("a wider type keeps the values", () => {
  const wider = ["agreement          LowCardinality(String)", "agreement          String"] as const;
  edit({
    "contract/streams.ts": ["agreement: optional(category(", "agreement: optional(text("],
    ...Object.fromEntries(TABLES.map((path) => [path, wider])),
  });
  expect(load(now, "early", {}).refused).toContain("column agreement");
  const statement = "ALTER TABLE ods.browser_event MODIFY COLUMN agreement String";
  const loaded = load(now, "early", { statement, rebuild: "dds", messages: [{}] });
  expectValues(loaded, "agreement", ["granted", "denied", "denied", "granted", ""]);
});

test("another type has no value of the old one", () => {
  const flagged = ["agreement          String", "agreement          Nullable(Bool)"] as const;
  edit({
    "contract/streams.ts": ["agreement: optional(text(", "agreement: optional(flag("],
    ...Object.fromEntries(TABLES.map((path) => [path, flagged])),
    "sql/etl/dds/event.sql": [
      "if(browser.agreement = '', browser.consent, browser.agreement) AS agreement, ",
      "",
    ],
  });
  const loaded = load(now, "early", { rebuild: "ods", messages: [{ agreement: true }] });
  expectValues(loaded, "agreement", [null, null, null, null, null, true]);
});
