import { beforeAll, beforeEach, expect, test } from "vitest";
import { incompleteWarning } from "../../cli/query.ts";
import { IncompleteError } from "../../contract/errors.ts";
import { STREAMS } from "../../contract/streams.ts";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { renderReconciliation } from "../../warehouse/reconciliation/render.ts";
import { requireComplete } from "../../warehouse/reconciliation/requirements.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import { keepAll } from "../support/engine.ts";
import { generateMessages, rawMessage } from "../support/messages.ts";
import { load, loadStep, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { source } from "../unit/warehouse/reconciliation/sources.ts";

const ASIDE = new Set(["wait_for_stg_data", "load_dm_truth"]);
const STEPS = readPlan()
  .steps.map(({ id }) => id)
  .filter((id) => !ASIDE.has(id));

const engine = useTestEngine();
let restore: () => Promise<void>;
beforeAll(async () => {
  const { messages } = await generateMessages("reconciliation-gate", 3);
  await publish(engine.db, messages);
  await load(engine.db, "full");
  restore = await keepAll(engine.db);
});
beforeEach(() => restore());

const runAlone = (id: string) => loadStep(engine.db, id);

const isGateOpen = () =>
  runAlone("assert_dds_integrity").then(
    () => true,
    () => false,
  );

test("a load of rejected messages is incomplete after each step except the last one", async () => {
  await publish(
    engine.db,
    STREAMS.map((stream) => rawMessage(stream, "[1]")),
  );
  const behind: Record<string, string[]> = {};
  for (const id of STEPS.slice(0, -1)) {
    await runAlone(id).catch(() => undefined);
    const reconciliation = await prove(engine.db);
    expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
    expect(() => requireComplete(reconciliation)).toThrow(IncompleteError);
    expect(await incompleteWarning(engine.db)).toMatch(
      /^warning: the marts may lack data: .* hint: run `pipeline transform --no-full-refresh /,
    );
    behind[id] = reconciliation.waiting.map(({ layer, step }) => `${layer} ${step}`);
    if (id === "load_ods") {
      expect(renderReconciliation(reconciliation)).toMatch(
        /load \d+ of ods is not in dds yet, for .*: load_dds is behind/,
      );
      expect(await isGateOpen()).toBe(false);
    }
  }
  const [events, sessions, visitors, summary] = ["events", "sessions", "visitors", "summary"].map(
    (step) => `dm load_dm_${step}`,
  );
  expect(behind).toMatchObject({
    load_ods: ["dds load_dds"],
    load_dds: ["dds check_dds_integrity", events, sessions, visitors, summary],
    assert_dds_integrity: [events, sessions, visitors, summary],
    load_dm_events: [sessions, visitors, summary],
    load_dm_sessions: [visitors, summary],
    load_dm_visitors: [summary],
  });
  await runAlone("load_dm_summary");
  expect(await incompleteWarning(engine.db)).toBeNull();
  expect((await prove(engine.db)).verdict).toBe("accounted");
  expect(await isGateOpen()).toBe(true);
});

test("queries warn of an interrupted load of the latest epoch alone", async () => {
  const store = (epoch: number, isFinal: boolean) =>
    storeSource(engine.db, epoch, source("a load", {}, { isFinal }));
  await store(1, false);
  await store(2, true);
  expect(await incompleteWarning(engine.db)).toBeNull();
  await store(3, false);
  expect(await incompleteWarning(engine.db)).toMatch(/^warning: the load "a load" was interrupted/);
});

test.each([
  [
    "load_dds was interrupted",
    "INSERT INTO stg.lease SELECT max(id) + 1, 'load_dds', '', now64(), now64() FROM stg.lease",
  ],
  ["dds was never checked", "TRUNCATE TABLE dds.integrity_check"],
])(
  "%s: the gate is closed, and the reconciliation incomplete until the next load",
  async (_, sql) => {
    await engine.db.run(sql);
    expect(await isGateOpen()).toBe(false);
    expect(await prove(engine.db)).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
    await load(engine.db, "incremental");
    expect(await isGateOpen()).toBe(true);
    expect((await prove(engine.db)).verdict).toBe("accounted");
  },
);

test("an interrupted step of dm is incomplete, and its half-written table is no loss", async () => {
  await engine.db.run(
    "INSERT INTO stg.lease SELECT max(id) + 1, 'load_dm_sessions', '', now64(), now64() FROM stg.lease",
  );
  await engine.db.run(
    "DELETE FROM dm.session WHERE click_id IN (SELECT min(click_id) FROM dm.session)",
  );
  expect(await prove(engine.db)).toMatchObject({
    ...{ verdict: "incomplete", unaccounted: 0 },
    waiting: [{ layer: "dm", step: "load_dm_sessions", count: 0 }],
  });
});
