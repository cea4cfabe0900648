import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("cli-own-data");

const env = { EVENT_PIPELINE_STATE: join(root, "state") };
const run = (...args: string[]) => pipeline(args, env);
const report = ["--report", join(root, "report.html")];
const demo = (...args: string[]) => run("demo", "--days", "1", "--rate", "2", ...report, ...args);
const count = (table: string, ...place: string[]) =>
  Number(run("query", `SELECT count() FROM ${table}`, "--format", "TSV", ...place).stdout);

describe("a demo on a workspace with other data", () => {
  const own = join(root, "own");
  const place = ["--database", own];

  beforeAll(() => {
    expect(demo(...place).status).toBe(0);
    expect(run("data", "--limit", "20", ...place).status).toBe(0);
  });

  test("names the sources and deletes nothing", () => {
    const before = count("stg.raw", ...place);
    const { status, stderr } = demo(...place);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^error: .* contains other data: load \d{4}-\S+Z\. Nothing was deleted\n {2}hint: \.\/pipeline demo --database /,
    );
    expect(count("stg.raw", ...place)).toBe(before);
  });

  test("is not replaced by a scenario", () => {
    const directory = join(root, "demo");
    expect(demo("--database", directory).status).toBe(0);
    const { status, stderr } = run("scenario", "sale-day", ...report, "--database", directory);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /demo contains other data: demo\. Nothing was deleted\n {2}hint: \.\/pipeline scenario sale-day --database /,
    );
  });

  test("refuses rows whose source is not recorded", async () => {
    const directory = join(root, "unrecorded");
    expect(run("ddl", "--database", directory).status).toBe(0);
    const db = await openWorkspace(directory);
    await db.run("INSERT INTO stg.raw (raw) VALUES ('{}')");
    await db.close();
    const { status, stderr } = demo("--database", directory);
    expect(status).toBe(1);
    expect(stderr).toContain("contains data of an unknown source. Nothing was deleted");
    expect(count("stg.raw", "--database", directory)).toBe(1);
  });

  test("prints commands that work", () => {
    const { stderr } = demo(...place);
    const [, folder = ""] = /hint: \.\/pipeline demo --database (\S+) /.exec(stderr) ?? [];
    expect(folder).toBe(`${own}-2`);
    expect(demo("--database", folder).status).toBe(0);
    expect(stderr).toContain(`rm -r ${own} `);
    rmSync(own, { recursive: true });
    expect(demo(...place).status).toBe(0);
  });

  test("does not empty a server", () => {
    const { status, stderr } = demo("--database", "http://localhost:1");
    expect(status).toBe(1);
    expect(stderr).toMatch(/is a server\. Allowed: a directory\n {2}hint: /);
  });

  test("replaces an earlier demo, also in a workspace without rows", () => {
    const directory = join(root, "empty");
    expect(run("ddl", "--database", directory).status).toBe(0);
    expect(demo("--database", directory).status).toBe(0);
    const before = count("stg.raw", "--database", directory);
    expect(demo("--database", directory).status).toBe(0);
    expect(count("stg.raw", "--database", directory)).toBe(before);
  });
});

test("an import after a demo has its own workspace, which later commands use", () => {
  const fresh = { EVENT_PIPELINE_STATE: join(root, "import-state") };
  const runFresh = (...args: string[]) => {
    const result = pipeline(args, fresh);
    expect(result.status, result.stderr).toBe(0);
    return result.stdout;
  };
  const csv = join(root, "events.csv");
  const select = join(root, "select.sql");
  writeFileSync(csv, "time,session\n2026-07-05 09:00:00,s1\n");
  runFresh("demo", "--days", "1", "--rate", "2", ...report);
  runFresh("import", csv, "--write-select", select);
  const set = ["--select", select, "--out", join(root, "set")];
  expect(runFresh("import", csv, ...set, "--load")).toContain(
    `Next: ./pipeline transform --database ${join(root, "import-state/import")}`,
  );
  runFresh("transform");
  const sessions = runFresh("query", "SELECT count() FROM dm.session", "--format", "TSV");
  expect(sessions.trim()).toBe("1");
  runFresh("prove");
  runFresh("demo", "--days", "1", "--rate", "2", ...report);
});
