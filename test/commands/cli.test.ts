import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { SAMPLE_DATASET as SAMPLE } from "../../generator/dataset/format.ts";
import { withLease } from "../../warehouse/batch/lease.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { pipeline, pipelineAsync } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("cli");

const small = ["--days", "1", "--rate", "2"];
const demo = (name: string, ...more: string[]) =>
  pipeline([
    "demo",
    ...small,
    "--database",
    join(root, name),
    "--report",
    join(root, `${name}.html`),
    ...more,
  ]);

describe("demo", () => {
  test("ends with a complete reconciliation and a report, and prints the same for the same seed", () => {
    const first = demo("first");
    expect(first.stderr).toBe("");
    expect(first.status).toBe(0);
    expect(first.stdout).toContain("seed 1, behaviour shop\n");
    expect(first.stdout).toContain("Every message is accounted for: 0 unaccounted.");
    expect(readFileSync(join(root, "first.html"), "utf8")).toContain("<svg");
    expect(proof(demo("second").stdout)).toEqual(proof(first.stdout));
    expect(proof(demo("other", "--seed", "2").stdout)).not.toEqual(proof(first.stdout));
  });

  test("keeps the rate of page events per minute", () => {
    const { stdout } = demo("rate", "--rate", "5", "--behaviour", "plain");
    const events = Number(/page events ([\d,]+)/.exec(stdout)?.[1]?.replaceAll(",", ""));
    // Coefficients of a day: 6 h at 0.7, 10 h at 1.2, 8 h at 1.
    const expected = 5 * 60 * (6 * 0.7 + 10 * 1.2 + 8);
    expect(Math.abs(events / expected - 1)).toBeLessThan(0.1);
    expect(stdout).toContain("seed 1, behaviour plain\n");
    expect(stdout).not.toContain("sessions rejected");
  });

  test("leaves foreign folders, and data that another command writes, alone", async () => {
    const precious = join(root, "precious");
    mkdirSync(precious);
    writeFileSync(join(precious, "file.txt"), "mine");
    const foreign = demo("precious");
    expect(foreign.status).toBe(1);
    expect(foreign.stderr).toContain("contains files of another program");
    expect(readFileSync(join(precious, "file.txt"), "utf8")).toBe("mine");

    const db = await openWorkspace(join(root, "first"));
    const inUse = await withLease(db, "a load", () =>
      pipelineAsync(["demo", ...small, "--database", join(root, "first")]),
    );
    const [row] = await db.rows<{ events: number }>("SELECT count() AS events FROM dds.event");
    await db.close();
    expect(inUse.stderr).toMatch(/cannot write the database: a load on .* holds the lease/);
    expect(row?.events).toBeGreaterThan(0);
  });

  /** Printed digests and checksum. */
  const proof = (stdout: string): string[] =>
    stdout.split("\n").filter((line) => /[0-9A-F]{15,16} │|manifest checksum/.test(line));
});

describe("data, transform, prove, follow", () => {
  const database = ["--database", join(root, "chain")];

  test("load a slice, transform it and account for it", () => {
    expect(pipeline(["ddl", ...database]).status).toBe(0);
    expect(pipeline(["data", "--limit", "50", ...database]).stdout).toMatch(/browser\s+\d+\n/);
    expect(pipeline(["transform", ...database]).status).toBe(0);
    const reconciliation = JSON.parse(pipeline(["prove", "--json", ...database]).stdout);
    expect(reconciliation).toMatchObject({ unaccounted: 0 });
    const browser = reconciliation.messages.filter(
      (line: { stream: string }) => line.stream === "browser",
    );
    const total = browser.reduce((sum: number, line: { raw: number }) => sum + line.raw, 0);
    expect(total).toBeGreaterThanOrEqual(50);
    expect(pipeline(["follow", ...database]).stdout).toContain("browser_events");
  });

  test("prove exits with 3 while steps are unfinished, and with 0 if that is allowed or scheduled", async () => {
    const target = ["--database", join(root, "incomplete")];
    expect(pipeline(["ddl", ...target]).status).toBe(0);
    expect(pipeline(["data", "--limit", "50", ...target]).status).toBe(0);
    expect(pipeline(["step", "load_ods", ...target]).status).toBe(0);
    const { status, stdout, stderr } = pipeline(["prove", ...target]);
    expect(status).toBe(3);
    expect(stdout).toMatch(/Incomplete: 0 unaccounted so far/);
    expect(stderr).toMatch(/incomplete: .*not in dds yet.*load_dds is behind.*pipeline transform/s);
    expect(pipeline(["prove", "--allow-pending", "86400", ...target]).status).toBe(0);
    expect(pipeline(["prove", ...target], { ALLOW_PENDING_SECONDS: "86400" }).status).toBe(0);
    const scheduled = pipeline(["prove", ...target], { LOAD_EVERY_SECONDS: "86400" });
    expect(scheduled).toMatchObject({ status: 0, stderr: "" });
    expect(scheduled.stdout).toMatch(
      /Up to date: .* messages waiting for the next load, due within/,
    );
    // The messages are overdue only after some intervals.
    const overdue = () => pipeline(["prove", "--load-every", "1", ...target]);
    await expect.poll(() => overdue().status, { timeout: 180_000 }).toBe(3);
    expect(overdue().stderr).toMatch(/load_dds is overdue.*hint: run `make dags`/s);
    expect(pipeline(["transform", ...target]).status).toBe(0);
    expect(pipeline(["prove", ...target]).status).toBe(0);
  });

  test("a second load with reset gives the same dds; an appended one adds no event", () => {
    const dds = () =>
      JSON.parse(pipeline(["prove", "--json", ...database]).stdout).digests.filter(
        (line: { name: string }) => line.name.startsWith("dds."),
      );
    const before = dds();
    pipeline(["data", "--limit", "50", ...database]);
    pipeline(["transform", ...database]);
    expect(dds()).toEqual(before);
  });

  test("--replace removes only the load's rows, after confirmation", async () => {
    const directory = join(root, "replaced");
    const target = ["--database", directory];
    const rows = async () => {
      const db = await openWorkspace(directory);
      const [row] = await db.rows<{ raw: number; events: number; sources: number }>(
        `SELECT (SELECT count() FROM stg.raw WHERE _topic = 'browser_events') AS raw,
           (SELECT count() FROM dds.event) AS events, (SELECT count() FROM stg.manifest FINAL) AS sources`,
      );
      await db.close();
      return row;
    };
    expect(pipeline(["ddl", ...target]).status).toBe(0);
    // There is no data to lose, so no confirmation is needed.
    expect(pipeline(["data", "--replace", ...target]).status).toBe(0);
    expect(pipeline(["transform", ...target]).status).toBe(0);
    const before = await rows();
    expect(before?.events).toBeGreaterThan(1_000);

    const slice = ["data", "--limit", "50", "--replace", ...target];
    const unsure = pipeline(slice);
    expect(unsure.status).toBe(1);
    expect(unsure.stderr).toMatch(
      /removes the rows of .*dds\.event.*Nothing was changed.*--replace --yes/s,
    );
    const broken = join(root, "no-set");
    mkdirSync(broken);
    expect(pipeline([...slice, "--yes", "--dataset", broken]).status).toBe(1);
    expect(pipeline([...slice, "--yes", "--no-reset"]).stderr).toContain("--no-reset");
    expect(await rows()).toEqual(before);

    expect(pipeline(slice, { YES: "1" }).status).toBe(0);
    expect(pipeline(["transform", ...target]).status).toBe(0);
    const after = await rows();
    expect(after?.events).toBe(after?.raw);
    expect(after?.events).toBeGreaterThanOrEqual(50);
    expect(after?.events).toBeLessThan(80);
    expect(after?.sources).toBe(1);
    expect(pipeline(["prove", ...target]).status).toBe(0);
  });

  test("a set that differs from its manifest, or is not UTF-8, is refused", () => {
    const cut = join(root, "cut");
    cpSync(SAMPLE, cut, { recursive: true });
    const geo = gunzipSync(readFileSync(join(cut, "geo.jsonl.gz")))
      .toString()
      .split("\n");
    writeFileSync(join(cut, "geo.jsonl.gz"), gzipSync(geo.slice(10).join("\n")));
    const short = pipeline(["data", "--dataset", cut, ...database]);
    expect(short.status).toBe(1);
    expect(short.stderr).toMatch(/differs from its manifest: geo: \d+ lines.*Nothing was loaded/s);

    rmSync(join(cut, "manifest.json"));
    writeFileSync(join(cut, "geo.jsonl.gz"), gzipSync(Buffer.from([0x7b, 0xff, 0x7d, 0x0a])));
    const bytes = pipeline(["data", "--dataset", cut, ...database]);
    expect(bytes.stderr).toContain("geo.jsonl.gz is not UTF-8");
  });

  test("a large set without manifest needs a confirmation, a slice of it does not", () => {
    const large = join(root, "large");
    mkdirSync(large);
    for (const stream of ["location", "device", "geo"])
      writeFileSync(join(large, `${stream}.jsonl`), "");
    writeFileSync(join(large, "browser.jsonl"), "{}\n".repeat(1_000_001));
    const load = ["data", "--dataset", large, "--database", join(root, "large-db")];
    const { stderr } = pipeline(load);
    expect(stderr).toContain(
      "more than 1,000,000 rows: a full load needs confirmation. Nothing was loaded",
    );
    expect(stderr).toContain("hint: --limit 50 (a slice), or YES=1");
    expect(pipeline([...load, "--limit", "1"]).status).toBe(0);
  });

  test("prove fails if a row is missing, and names it", async () => {
    const db = await openWorkspace(join(root, "chain"));
    await db.run("DELETE FROM ods.geo_event WHERE _offset = 1");
    await db.close();
    const { status, stdout, stderr } = pipeline(["prove", ...database]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/geo epoch \d+ partition 0 offset 1/);
    expect(stderr).toContain("unaccounted for");
  });

  test("ddl --verify fails on a foreign column and a missing table, and changes nothing", async () => {
    expect(pipeline(["ddl", "--verify", ...database]).status).toBe(0);
    const db = await openWorkspace(join(root, "chain"));
    await db.run("ALTER TABLE dds.click ADD COLUMN surprise UInt8");
    await db.run("ALTER TABLE dm.session DROP INDEX click_id_bloom");
    await db.run("ALTER TABLE stg.raw MODIFY TTL toDateTime(ingested_at) + INTERVAL 7 DAY");
    await db.run("ALTER TABLE stg.raw MODIFY COLUMN raw String CODEC(LZ4)");
    await db.run("ALTER TABLE stg.raw MODIFY COLUMN ingested_at DEFAULT now()");
    await db.run("ALTER TABLE dm.session MODIFY SETTING ttl_only_drop_parts = 1");
    await db.run("DROP TABLE dm.dq_summary SYNC");
    await db.run("DROP VIEW dm.v_funnel");
    await db.run("CREATE VIEW dm.v_funnel AS SELECT 1 AS one");
    await db.close();
    const verify = pipeline(["ddl", "--verify", ...database]);
    expect(verify.status).toBe(1);
    expect(verify.stdout).toContain("dds.click: column surprise UInt8 is not declared");
    expect(verify.stdout).toContain(
      "no index click_id_bloom click_id TYPE bloom_filter(0.001) GRANULARITY 8",
    );
    expect(verify.stdout).toContain("TTL toDateTime(ingested_at) + toIntervalDay(7) instead of");
    expect(verify.stdout).toContain("no column raw String CODEC(ZSTD(1))");
    expect(verify.stdout).toContain("no column ingested_at DateTime64(6, 'UTC') DEFAULT now64(6");
    expect(verify.stdout).toContain("setting ttl_only_drop_parts = 1 is not declared");
    expect(verify.stdout).toContain("dm.dq_summary: missing");
    expect(verify.stdout).toContain("dm.v_funnel: ");
    expect(pipeline(["ddl", "--verify", ...database]).stdout).toBe(verify.stdout);
  });

  test("ddl refuses tables that it cannot change, before anything changes, with the command", async () => {
    const before = pipeline(["ddl", "--verify", ...database]).stdout;
    const refused = pipeline(["ddl", ...database]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/dm\.session: .*; stg\.raw: .*\. Nothing was changed/);
    expect(refused.stderr).toContain("with ALTER as sql/ddl/10_stg says");
    expect(pipeline(["ddl", "--verify", ...database]).stdout).toBe(before);
    const db = await openWorkspace(join(root, "chain"));
    await db.run("ALTER TABLE stg.raw MODIFY TTL toDateTime(ingested_at) + INTERVAL 30 DAY");
    await db.run("ALTER TABLE stg.raw MODIFY COLUMN raw String CODEC(ZSTD(1))");
    await db.run("ALTER TABLE stg.raw MODIFY COLUMN ingested_at DEFAULT now64(6, 'UTC')");
    await db.close();
    expect(pipeline(["ddl", ...database]).stderr).toContain("pipeline ddl --rebuild dm");
  });

  test("ddl creates what is missing, replaces views, and changes columns", () => {
    const rebuilt = pipeline(["ddl", "--rebuild", "dm", ...database]);
    expect(rebuilt.stdout).toContain("1 tables changed");
    expect(pipeline(["ddl", "--verify", ...database]).status).toBe(0);
    expect(pipeline(["transform", ...database]).status).toBe(0);
  });
});
