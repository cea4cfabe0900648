import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import { pipeline } from "../support/cli.ts";
import { clearAll } from "../support/engine.ts";
import { newEpoch } from "../support/pipeline.ts";
import { useFolder } from "../support/use-folder.ts";
import { makeHistory, reload } from "./history/generate.ts";

const root = useFolder("truth");

const truth = (database: string, ...args: string[]) =>
  pipeline(["truth", "--database", database, ...args]);

describe("a demo with the default behaviour", () => {
  const database = join(root, "shop");
  beforeAll(() => {
    const report = join(root, "report.html");
    const options = ["--days", "1", "--rate", "10", "--report", report];
    const { status, stderr } = pipeline(["demo", ...options, "--database", database]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("truth prints effects with truth, estimate, interval and verdict", () => {
    const { status, stdout, stderr } = truth(database);
    expect(status).toBe(0);
    expect(stdout).toMatch(/│ first sessions with a purchase, by variant +│ b − a +│ +0\.00/);
    expect(stdout).toMatch(/│ second sessions that come directly, by first medium +│ direct/);
    expect(stdout).toMatch(/│ (inside|outside) +│/);
    expect(stderr).toMatch(
      /^\d+ of \d+ intervals contain the ground truth \(\d+ %; 95 % expected\)\.\n$/,
    );
  });

  test("the report says how many intervals contain the ground truth, as the command does", () => {
    const [, inside, all] = /^(\d+) of (\d+)/.exec(truth(database).stderr) ?? [];
    const report = readFileSync(join(root, "report.html"), "utf8").replaceAll("\n", " ");
    expect(report).toContain('<h2 id="truth">What is true here</h2>');
    expect(report).toContain(`it published ${all} expected values`);
    expect(report).toContain(`${inside} of the 95 % intervals`);
  });

  test("truth has the formats of query", () => {
    const [first, second] = truth(database, "--format", "JSONEachRow").stdout.split("\n");
    expect(JSON.parse(first ?? "")).toMatchObject({
      effect: "first sessions with a purchase",
      segment: "all",
      sessions: expect.any(Number),
    });
    expect(second).toContain('"segment"');
    expect(truth(database, "--format", "CSVWithNames").stdout).toMatch(
      /^"effect","segment","truth","estimate","low","high","sessions","verdict"\n/,
    );
  });
});

test.each(["without an epoch", "with an epoch"])("truth of empty layers %s", async (which) => {
  const database = join(root, which.replaceAll(" ", "-"));
  const db = await openWorkspace(database);
  await applyDdl(db, "all");
  if (which === "with an epoch") await newEpoch(db);
  await db.close();
  const { status, stderr } = truth(database);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `error: No data is loaded: every layer is empty\n  hint: run \`./pipeline demo --database ${database}\`\n`,
  });
});

describe("truth names the reason, and a command that makes a history with a truth", () => {
  const database = join(root, "other");
  const withEngine = async (fill: (db: Database) => Promise<void>) => {
    const db = await openWorkspace(database);
    await applyDdl(db, "all");
    await clearAll(db);
    await fill(db);
    await db.close();
    const { status, stdout, stderr } = truth(database);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(`hint: run \`./pipeline demo --database ${database}-shop\``);
    return stderr;
  };
  const unknown = {
    ...({ kind: "load", isFinal: true } as const),
    statement: { counts: { browser: 1, location: 1, device: 1, geo: 1 }, days: {} },
  };

  test("for a history of plain", async () => {
    const { backfill, manifest } = await makeHistory();
    const message = await withEngine((db) => reload(db, backfill, manifest));
    expect(message).toContain("The ground truth is unknown, because GEN_BEHAVIOUR was not shop");
    const step = pipeline(["step", "load_dm_truth", "--database", database]);
    expect(step).toMatchObject({ status: 0, stderr: "" });
    expect(step.stdout).toMatch(
      /load_dm_truth .* nothing to do: the manifest publishes no effects\n/,
    );
  });

  test("for imported data", async () => {
    const message = await withEngine(async (db) => {
      const epoch = await newEpoch(db);
      await storeSource(db, epoch, { ...unknown, name: "my-data" });
    });
    expect(message).toContain("because no finished history describes it");
  });

  test("for several sources", async () => {
    const message = await withEngine(async (db) => {
      const epoch = await newEpoch(db);
      for (const name of ["one", "two"]) {
        await storeSource(db, epoch, { ...unknown, name });
      }
    });
    expect(message).toContain("because it has 2 sources (one, two)");
  });
});
