import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../../contract/errors.ts";
import { findStep, readPlan } from "../../warehouse/batch/plan.ts";
import type { StepOptions } from "../../warehouse/batch/run-step.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { readQuery } from "../../warehouse/sql.ts";
import { clearAll, keepAll } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { digestsOf, load, loadStep, newEpoch, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
let messages: Message[];
let restore: () => Promise<void>;
beforeAll(async () => {
  ({ messages } = await generateMessages("gate", 3));
  await publish(engine.db, messages);
  await load(engine.db, "full");
  restore = await keepAll(engine.db);
});
beforeEach(() => restore());

const ids = readPlan().steps.map((step) => step.id);
const dmContent = () =>
  engine.db.rows(`
    SELECT
      (SELECT sum(sipHash64(tuple(*))) FROM dm.event_enriched) AS events,
      (SELECT sum(sipHash64(tuple(*))) FROM dm.session) AS sessions,
      (SELECT sum(sipHash64(tuple(*))) FROM dm.dq_summary) AS summary`);

const runAlone = (id: string) => loadStep(engine.db, id);

test("the gate joins tables in the order of their keys, without holding them", async () => {
  const insert = readQuery("etl/gate/check_dds_integrity.sql");
  const plan = await engine.db.rows<{ explain: string }>(
    `EXPLAIN actions = 1 ${insert.slice(insert.indexOf("WITH"))}`,
  );
  const reads = plan.filter(({ explain }) => /Read ?type: InOrder/i.test(explain));
  expect(reads, JSON.stringify(plan)).toHaveLength(2);
});

async function summary() {
  const [row] = await engine.db.rows<{
    computed_at: string;
    orphan_events: number;
    clicks: number;
  }>(`
    SELECT max(computed_at) AS computed_at, sumIf(value, metric = 'orphan_events') AS orphan_events,
      sumIf(value, entity = 'click' AND metric = 'rows') AS clicks
    FROM dm.dq_summary`);
  return row;
}

/** Runs the plan and calls `sabotage` right before a step. */
async function runWithSabotage(stepId: string, sabotage: () => Promise<void>): Promise<string[]> {
  const done: string[] = [];
  for (const id of ids) {
    if (id === stepId) await sabotage();
    await rerun(id);
    done.push(id);
  }
  return done;
}

test("the gate comes after load_dds and before every step that writes dm", () => {
  const gate = ids.slice(ids.indexOf("load_dds") + 1, ids.indexOf("load_dds") + 3);
  expect(gate).toEqual(["check_dds_integrity", "assert_dds_integrity"]);
  const behind = ids.slice(ids.indexOf("assert_dds_integrity") + 1);
  expect(ids.filter((id) => id.startsWith("load_dm"))).toEqual(behind);
  expect(behind).toContain("load_dm_summary");
  expect(findStep(readPlan(), "assert_dds_integrity").retries).toBe(0);
  expect(ids.indexOf("wait_for_stg_data")).toBeLessThan(ids.indexOf("load_ods"));
});

describe("a broken link stops the run before dm changes", () => {
  test.each([
    ["a click is removed", "check_dds_integrity", "DELETE FROM dds.click WHERE 1 LIMIT 1"],
    ["all clicks are removed", "check_dds_integrity", "TRUNCATE TABLE dds.click"],
    [
      "an event is inserted by hand",
      "check_dds_integrity",
      "INSERT INTO dds.event (event_id, click_id) SELECT generateUUIDv4(), generateUUIDv4()",
    ],
    [
      "dds changes after the check",
      "assert_dds_integrity",
      "INSERT INTO dds.event (event_id, click_id) SELECT generateUUIDv4(), generateUUIDv4()",
    ],
    ["clicks vanish after the check", "assert_dds_integrity", "TRUNCATE TABLE dds.click"],
    ["the check never ran", "assert_dds_integrity", "TRUNCATE TABLE dds.integrity_check"],
  ])("%s", async (_, step, sql) => {
    const before = await dmContent();
    const oneClick = sql.replace(
      "WHERE 1 LIMIT 1",
      "WHERE click_id IN (SELECT click_id FROM dds.event LIMIT 1)",
    );
    const run = runWithSabotage(step, () => engine.db.run(oneClick));
    await expect(run).rejects.toThrow(/assert_dds_integrity stopped the run/);
    expect(await dmContent()).toEqual(before);
  });

  test("and is reported with its count, until a full refresh fixes it", async () => {
    const [{ events } = { events: 0 }] = await engine.db.rows<{ events: number }>(
      "SELECT count() AS events FROM dds.event",
    );
    expect(events).toBeGreaterThan(0);
    const before = await summary();

    await engine.db.run("TRUNCATE TABLE dds.click");
    expect((await runAlone("check_dds_integrity")).report).toEqual({ orphan_events: events });
    await expect(runAlone("assert_dds_integrity")).rejects.toMatchObject({
      message: expect.stringContaining(`orphan_events = ${events} of ${events} rows of dds.event`),
    });
    expect(await summary()).toEqual(before);

    const steps = await load(engine.db, "full");
    const reports = new Map(steps.map(({ id, report }) => [id, report]));
    expect(reports.get("check_dds_integrity")).toEqual({ orphan_events: 0 });
    expect(reports.get("load_dm_summary")).toMatchObject({ orphan_events: 0 });
    const after = await summary();
    expect(after).toMatchObject({ orphan_events: 0, clicks: before?.clicks });
    expect(after?.computed_at).not.toBe(before?.computed_at);
  });
});

const EMPTY_DDS = ["event", "click", "load_commit", "integrity_check"];
const rerun = (id: string, options: Partial<StepOptions> = {}) =>
  loadStep(engine.db, id, { fullRefresh: true, ...options });

/** Runs load_dds up to its commit, so that its rows exist but only earlier ones count. */
async function interruptLoadDds(): Promise<void> {
  const onStatement = (file: string) => {
    if (file === "changed/commit.sql") throw new Error("killed");
  };
  await expect(rerun("load_dds", { fullRefresh: false, onStatement })).rejects.toThrow("killed");
}

async function loadMoreOds(): Promise<void> {
  await publish(engine.db, messages.slice(0, 20));
  await runAlone("load_ods");
}

async function expectRefusal(id: string, reason: RegExp): Promise<void> {
  const before = await dmContent();
  await expect(runAlone(id)).rejects.toThrow(reason);
  expect(await dmContent()).toEqual(before);
}

describe("under its own lease", () => {
  test.each<[string, () => Promise<unknown>, RegExp]>([
    [
      "an empty dds under a full ods",
      () => Promise.all(EMPTY_DDS.map((table) => engine.db.run(`TRUNCATE TABLE dds.${table}`))),
      /dds is committed up to load 0 and ods up to load \d+/,
    ],
    [
      "a dds that lacks a load of ods",
      loadMoreOds,
      /dds is committed up to load \d+ and ods up to/,
    ],
    ["a dds that was written again after the check", () => rerun("load_dds"), /dds changed after/],
    ["a dds that a run was about to commit", interruptLoadDds, /load_dds under lease \d+ was/],
  ])("load_dm_events refuses %s", async (_, change, reason) => {
    await change();
    await expectRefusal("load_dm_events", reason);
  });

  test("every step of dm refuses a dds that was written again after the check", async () => {
    await rerun("load_dds");
    for (const mart of ["events", "sessions", "visitors", "summary"])
      await expectRefusal(`load_dm_${mart}`, /dds changed after/);
  });
});

test("the next load completes events that were committed without their sessions", async () => {
  await publish(engine.db, messages.slice(0, messages.length / 2));
  for (const id of ids.slice(0, ids.indexOf("load_dm_sessions"))) await runAlone(id);
  await newEpoch(engine.db);
  await publish(engine.db, messages.slice(0, 60));
  await load(engine.db, "incremental");
  const incremental = await digestsOf(engine.db);
  await load(engine.db, "full");
  expect(incremental).toEqual(await digestsOf(engine.db));
});

test("defective data never closes the gate", async () => {
  const [row] = await engine.db.rows<{ dirty: number }>(
    "SELECT countIf(notEmpty(markers)) AS dirty FROM dds.event",
  );
  expect(row?.dirty).toBeGreaterThan(0);
});

test("without a schema, the step names the command that creates it", async () => {
  await engine.db.run("RENAME DATABASE dds TO dds_away");
  try {
    await expect(load(engine.db, "full")).rejects.toThrow(UserError);
    await expect(load(engine.db, "full")).rejects.toMatchObject({
      message: expect.stringContaining("schema is missing"),
      hint: `run \`pipeline ddl --database ${engine.directory}\``,
    });
  } finally {
    await engine.db.run("RENAME DATABASE dds_away TO dds");
  }
});

test("without data, the wait ends after the given time with a hint", async () => {
  await clearAll(engine.db);
  const started = performance.now();
  const run = transform(engine.db, { fullRefresh: true, waitSeconds: 2 });
  await expect(run).rejects.toMatchObject({
    message: expect.stringContaining("No data in stg within 2 s"),
    hint: `run \`pipeline data --database ${engine.directory}\``,
  });
  expect(performance.now() - started).toBeGreaterThan(1900);
});
