import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { dataTests } from "../../warehouse/data-tests.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("query");
const database = join(root, "data");
beforeAll(async () => {
  const db = await openWorkspace(database);
  await applyDdl(db, "all");
  await db.close();
});

const query = (...args: string[]) => pipeline(["query", ...args, "--database", database]);

const TWO_ROWS = "SELECT number AS n, 'é' AS letter FROM numbers(2)";

test("prints a table unless a format is given", () => {
  expect(query(TWO_ROWS).stdout).toContain("│ 0 │ é      │");
  expect(query(`${TWO_ROWS};`, "--format", "CSVWithNames").stdout).toBe(
    '"n","letter"\n0,"é"\n1,"é"\n',
  );
  expect(query(`${TWO_ROWS} FORMAT JSONEachRow`).stdout).toContain('{"n":0,"letter":"é"}');
});

test("reads the statement of a file, and names one that is missing", () => {
  const file = join(root, "two-rows.sql");
  writeFileSync(file, `-- Two rows.\n${TWO_ROWS};\n`);
  expect(query(file, "--format", "TSV").stdout).toBe("0\té\n1\té\n");
  expect(query("absent.sql")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("absent.sql"),
  });
});

test.each(["TRUNCATE TABLE dds.click", "SELECT 1 SETTINGS readonly = 0"])(
  "runs statements as the user who only reads: %s",
  (sql) => {
    const { status, stdout, stderr } = query(sql);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/readonly mode|Not enough privileges/);
    expect(query("SELECT count() FROM dds.click", "--format", "TSV").stdout).toBe("0\n");
  },
);

test("names the command that lists the tables if a table is mistyped", () => {
  const { status, stderr } = query("SELECT * FROM dm.evnt");
  expect(status).toBe(1);
  expect(stderr).toContain(
    `hint: run \`./pipeline query "SHOW TABLES FROM dm" --database ${database}\``,
  );
  expect(query("SHOW TABLES FROM dm", "--format", "TSV").stdout).toContain("v_funnel\n");
});

test("explains a syntax error in one line, with its place", () => {
  expect(query("SELECT 'é',\n  1 x y").stderr).toMatch(
    /^error: The database refused the statement: Syntax error at line 2, column 7 near y\n {2}hint: .*\n$/,
  );
});

test("refuses an unknown format by name", () => {
  const { status, stderr } = query("SELECT 1", "--format", "Nope");
  expect(status).toBe(1);
  expect(stderr).toContain("Unknown format Nope");
});

describe("pipeline test", () => {
  const ORPHAN = "00000000-0000-4000-8000-000000000001";
  const testData = (...args: string[]) => pipeline(["test", ...args, "--database", database]);
  const change = async (...statements: string[]) => {
    const db = await openWorkspace(database);
    for (const sql of statements) await db.run(sql);
    await db.close();
  };

  test("refuses empty tables, of which every test would pass", () => {
    const { status, stdout, stderr } = testData();
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toBe(
      `error: The tables of dds have no rows to test\n  hint: run \`./pipeline transform --database ${database}\`\n`,
    );
  });

  test("prints a line per test, and fails with the number of failing rows", async () => {
    await change(
      "INSERT INTO dds.click (click_id) SELECT generateUUIDv4(number) FROM numbers(1)",
      `INSERT INTO dds.event (event_id, click_id, event_type, event_timestamp)
       SELECT generateUUIDv4(1), '${ORPHAN}', 'pageview', now()`,
      "INSERT INTO dm.dq_summary (layer, entity, metric) VALUES ('dds', 'click', 'rows'), ('raw', '', 'rows')",
    );
    const { status, stdout, stderr } = testData();
    expect(status).toBe(1);
    const failed = stdout.split("\n").filter((line) => line.startsWith("FAIL"));
    expect(failed).toEqual([
      "FAIL 1  relationships dds.event.click_id to dds.click.click_id",
      "FAIL 1  accepted_values dm.dq_summary.layer",
      "FAIL 1  not_null dm.dq_summary.entity",
    ]);
    const { length } = dataTests();
    expect(stdout.match(/^PASS {4}/gm)).toHaveLength(length - failed.length);
    expect(stdout).toMatch(new RegExp(`\\nPASS=${length - 3} FAIL=3 TOTAL=${length}\\n$`));
    expect(stderr).toBe(
      `error: 3 of ${length} data tests failed, the first: relationships dds.event.click_id to dds.click.click_id (1 row)\n` +
        `  hint: run \`./pipeline test --show --database ${database}\` to see failing rows\n`,
    );
  });

  test("--show prints failing rows, and --json prints all for programs", () => {
    expect(testData("--show").stdout).toMatch(
      /^FAIL 1 {2}accepted_values dm\.dq_summary\.layer\n.*\n│ layer │ entity │ metric │\n.*\n│ raw {3}│ {8}│ rows {3}│$/m,
    );
    const { status, stdout } = testData("--json", "--show");
    expect(status).toBe(1);
    const results = JSON.parse(stdout) as { failures: number }[];
    expect(results).toHaveLength(dataTests().length);
    expect(results.find(({ failures }) => failures > 0)).toMatchObject({
      ...{ kind: "relationships", table: "dds.event", column: "click_id", failures: 1 },
      sample: [{ click_id: ORPHAN }],
    });
  });

  test("succeeds when no row fails", async () => {
    await change(
      "DELETE FROM dm.dq_summary WHERE layer = 'raw'",
      "INSERT INTO dds.click (click_id) SELECT click_id FROM dds.event",
    );
    const { status, stdout, stderr } = testData();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("FAIL=0 ");
  });
});
