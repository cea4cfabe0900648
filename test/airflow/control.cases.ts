import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Manifest } from "../../contract/manifest.ts";
import type { Reconciliation } from "../../warehouse/reconciliation/reconciliation.ts";
import { itLong } from "../support/long-cases.ts";
import { type EndedRun, type TestSystem, textOf } from "./environment.ts";
import {
  chosenByInstance,
  emptyTopics,
  failRun,
  runningBehind,
  storeGeneratorState,
  waitForBackfill,
  waitForTask,
} from "./interfere.ts";

/** Many short batches with few messages, long enough to be interrupted. */
const DAYS = 15;
const T_END = `2026-01-${DAYS + 1}T00:00:00.000000Z`;
const HISTORY = { operation: "backfill", t_end: T_END };
const SETTINGS = {
  GEN_LAMBDA_BASE_PER_MIN: "1",
  GEN_MODEL_TIME_SPEED: "60",
  GEN_TICK_SECONDS: "1",
};
/** A generator that publishes only on request. */
const STANDBY = { ...SETTINGS, GEN_ENABLED: "false" };
/** A seed with more digits than a JavaScript number keeps. */
const SEED = "12345678901234567890";
const DAY_MS = 86_400_000;
/** Midnight UTC, this many days ago. */
const daysAgo = (days: number): number => (Math.floor(Date.now() / DAY_MS) - days) * DAY_MS;

interface Report {
  readonly manifest: Manifest;
  readonly reconciliation: Reconciliation;
}

/** Ids of the tasks that were not skipped. */
const done = ({ tasks }: EndedRun): string[] =>
  Object.values(tasks)
    .filter(({ state }) => state === "success")
    .map(({ task_id }) => task_id);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const sent = ({ manifest }: Report): number => sum(Object.values(manifest.counts));
/** Raw messages of the current epoch; the reconciliation also counts earlier epochs. */
const found = ({ reconciliation }: Report): number =>
  sum(
    reconciliation.messages
      .filter(({ epoch }) => epoch === reconciliation.epoch)
      .map(({ raw }) => raw),
  );

/** `generator_control`: its refusals, its actions, and the pause of `etl_pipeline`. */
export function controlCases(system: () => TestSystem): void {
  const control = (conf: object) => system().run("generator_control", conf);
  const client = () => system().airflow.client;
  /** Triggers a run with parameters given as words, as from a terminal. Returns the run's id. */
  const triggerByCommand = async (conf: object): Promise<string> => {
    const words = Object.entries(conf).flatMap(([key, value]) => ["--param", `${key}=${value}`]);
    const { stdout, stderr } = await system().pipeline("dag", "run", "generator_control", ...words);
    const [, id] = /: run (\S+)/.exec(stdout) ?? [];
    if (id === undefined) throw new Error(stderr);
    return id;
  };
  const result = ({ id }: EndedRun, task: string) => client().result("generator_control", id, task);
  /** Starts a generator on empty topics, unless one runs with the history of the case before. */
  const ensureStandby = async (): Promise<void> => {
    const isRunning = await system()
      .generatorStatus()
      .then(
        () => true,
        () => false,
      );
    if (isRunning) return;
    await emptyTopics(system());
    await system().startGenerator(STANDBY);
  };
  const reportOf = async (ended: EndedRun) => (await result(ended, "report")) as Report;

  describe("generator_control", () => {
    let backfilled: Report;

    beforeAll(async () => {
      await client().setPaused("etl_pipeline", true);
    });
    afterAll(async () => {
      await system().stopGenerator();
      await client().setPaused("etl_pipeline", false);
    });

    it("refuses to start unless etl_pipeline is paused, and prints how to pause it", async () => {
      await client().setPaused("etl_pipeline", false);
      const { state, failures, tasks } = await control(HISTORY);
      await client().setPaused("etl_pipeline", true);
      expect(state).toBe("failed");
      expect(failures.require_paused_etl).toMatch(
        /not paused.*Nothing was changed.*pipeline stack run -- dag pause etl_pipeline/s,
      );
      expect(tasks.backfill?.state).toBe("upstream_failed");
    });

    itLong("names a generator that does not answer", async () => {
      const { failures } = await control(HISTORY);
      expect(failures.require_clean).toMatch(/generator at http:\S+ does not answer/);
    });

    itLong(
      "refuses a history over an earlier load, and reports the same without a pause",
      async () => {
        await system().startGenerator(STANDBY);
        const { failures, tasks } = await control(HISTORY);
        expect(failures.require_clean).toMatch(/environment is not empty: it holds.*clean-start/s);
        expect(tasks.backfill?.state).toBe("upstream_failed");
        await client().setPaused("etl_pipeline", false);
        const dry = await control({ ...HISTORY, dry_run: true });
        await client().setPaused("etl_pipeline", true);
        expect(dry.failures).toEqual({});
        expect(done(dry).sort()).toEqual(["begin", "dry_run"]);
        expect(await result(dry, "dry_run")).toMatchObject({ decision: { action: "refuse" } });
      },
    );

    itLong("refuses parameters that contradict each other or are out of range", async () => {
      const { failures } = await control({ operation: "continue", seed: "2" });
      expect(failures.begin).toMatch(
        /Not allowed with continue: seed. Allowed with: backfill, clean_start/,
      );
      await expect(system().trigger("generator_control", { operation: "explode" })).rejects.toThrow(
        /explode/,
      );
    });

    itLong("refuses a state of another version with the migration error", async () => {
      await emptyTopics(system());
      await storeGeneratorState(system(), { version: 2, users: [] });
      const { failures } = await control(HISTORY);
      expect(failures.require_clean).toMatch(/Migration error.*version 2.*GEN_STATE_RESET=true/s);
    });

    itLong("refuses a history of more than a million page events without max_events", async () => {
      await ensureStandby();
      await emptyTopics(system());
      const large = { ...HISTORY, t_end: "2029-01-01T00:00:00Z" };
      const { failures } = await control(large);
      expect(failures.require_clean).toMatch(
        /about \S+ page events.*Allowed: 1,000,000 page events.*max_events in Airflow/s,
      );
      const dry = await control({ ...large, max_events: 20_000_000, dry_run: true });
      expect(await result(dry, "dry_run")).toMatchObject({ decision: { action: "run" } });
    });

    itLong("changes nothing if somebody unpauses etl_pipeline after the check", async () => {
      await emptyTopics(system());
      const id = await system().trigger("generator_control", HISTORY);
      await waitForTask(system(), "generator_control", id, "require_clean");
      await client().setPaused("etl_pipeline", false);
      const { failures } = await system().ended("generator_control", id);
      await client().setPaused("etl_pipeline", true);
      expect(failures).toEqual({
        backfill: expect.stringMatching(/etl_pipeline is not paused.*Nothing was changed/s),
      });
      expect((await system().generatorStatus()).state.kind).toBe("standby");
    });

    itLong(
      "a generator that was killed and restarts in standby fails the run, with a hint",
      async () => {
        await system().stopGenerator();
        await emptyTopics(system());
        await system().startGenerator(STANDBY);
        const id = await system().trigger("generator_control", HISTORY);
        await waitForBackfill(system());
        await system().stopGenerator();
        await system().startGenerator(STANDBY);
        const { failures } = await system().ended("generator_control", id);
        expect(failures).toEqual({
          backfill: expect.stringMatching(
            /is standby.*repeat the request.*resume from the stored/s,
          ),
        });
        expect(await client().isPaused("etl_pipeline")).toBe(true);
      },
    );

    it("backfill, also a repeated one, survives a broker outage, runs the ETL, and reports", async () => {
      await ensureStandby();
      // Pausing etl_live may leave a run without an end, which must not hold up anything.
      system().airflow.metadata("UPDATE dag_run SET state = 'running' WHERE dag_id = 'etl_live'");
      const id = await system().trigger("generator_control", HISTORY);
      await waitForBackfill(system());
      await system().broker.shutDown();
      await system().broker.restart();
      const ended = await system().ended("generator_control", id);
      expect(ended.failures).toEqual({});
      expect(done(ended)).toEqual(expect.arrayContaining(["backfill", "run_etl", "report"]));
      expect(ended.tasks.import?.state).toBe("skipped");
      expect(await client().isPaused("etl_pipeline")).toBe(true);
      backfilled = await reportOf(ended);
      const { manifest, reconciliation } = backfilled;
      expect(manifest.t_end).toBe(T_END);
      expect(reconciliation).toMatchObject({ unaccounted: 0, checksum: manifest.checksum });
      expect(found(backfilled)).toBe(sent(backfilled));
      const task = ended.tasks.report;
      if (!task) throw new Error("no report");
      const log = textOf(await client().log("generator_control", ended.id, task));
      expect(log).toContain(`manifest: checksum ${manifest.checksum}`);
      expect(log).toMatch(/reconciliation: 0 messages unaccounted for/);
    });

    itLong(
      "a failing ETL fails the run; a waiting run ends before etl_pipeline is paused",
      async () => {
        const id = await system().trigger("generator_control", HISTORY);
        const running = await runningBehind(system(), "etl_pipeline", id);
        const waiting = await system().trigger("etl_pipeline", { full_refresh: false });
        await failRun(system(), "etl_pipeline", running);
        const ended = await system().ended("generator_control", id);
        expect(ended.state).toBe("failed");
        expect(ended.tasks.backfill?.state).toBe("success");
        expect(ended.tasks.run_etl?.state).toBe("failed");
        // The history is complete and reported despite the failed ETL.
        expect(ended.tasks.report?.state).toBe("success");
        expect((await reportOf(ended)).manifest).toEqual(backfilled.manifest);
        expect(await client().isPaused("etl_pipeline")).toBe(true);
        expect((await client().run("etl_pipeline", waiting)).state).toBe("success");
      },
    );

    it("continue: reports the same history, and the live events after it", async () => {
      await system().stopGenerator();
      await system().startGenerator(SETTINGS);
      // The schedule starts the next run once the DAG is switched on.
      expect(await system().pipeline("generator", "status", "--wait", "600")).toMatchObject({
        status: 0,
      });
      await system().pipeline("generator", "pause");
      const ended = await control({ operation: "continue" });
      expect(ended.failures).toEqual({});
      const report = await reportOf(ended);
      expect(report.manifest).toEqual(backfilled.manifest);
      expect(report.reconciliation).toMatchObject({
        unaccounted: 0,
        checksum: report.manifest.checksum,
      });
      expect(found(report)).toBeGreaterThan(sent(report));
    });

    itLong(
      "clean_start removes existing data only with confirmation; a restart does not stop it",
      async () => {
        const recent = { ...SETTINGS, GEN_MODEL_T0: new Date(daysAgo(12)).toISOString() };
        await system().stopGenerator();
        await system().startGenerator(recent);
        const request = { operation: "clean_start", seed: SEED, speed: 30, t_end: "now-1d" };
        const refused = await control(request);
        expect(refused.failures).toEqual({
          require_clean: expect.stringMatching(
            /A clean start removes data made with other settings/,
          ),
        });
        const begun = Date.now();
        const id = await triggerByCommand({ ...request, agree_to_loss: true });
        await waitForBackfill(system());
        await system().stopGenerator();
        await system().startGenerator(recent);
        const ended = await system().ended("generator_control", id);
        expect(ended.failures).toEqual({});
        expect(done(ended)).toEqual(expect.arrayContaining(["clean_start", "run_etl", "report"]));
        const report = await reportOf(ended);
        expect(report.manifest.seed).toBe(SEED);
        // The history ends a day before the request, to the minute.
        const end = Date.parse(report.manifest.t_end);
        expect(end).toBeGreaterThan(begun - DAY_MS - 60_000);
        expect(end).toBeLessThanOrEqual(Date.now() - DAY_MS);
        expect(await chosenByInstance(system())).toEqual({
          GEN_SEED: SEED,
          GEN_MODEL_TIME_SPEED: "30",
        });
        expect(report.manifest.checksum).not.toBe(backfilled.manifest.checksum);
        expect(report.reconciliation).toMatchObject({
          unaccounted: 0,
          checksum: report.manifest.checksum,
        });
        expect(found(report)).toBeGreaterThan(0);
      },
    );

    itLong(
      "import: reports the sample by default; a lost message fails the report, which names it",
      async () => {
        await system().stopGenerator();
        await emptyTopics(system());
        await system().startGenerator(STANDBY);
        const ended = await control({ operation: "import" });
        expect(ended.failures).toEqual({});
        const report = await reportOf(ended);
        expect(report.manifest.t_end).toBe("2026-01-02T00:00:00.000000Z");
        expect(report.reconciliation).toMatchObject({
          unaccounted: 0,
          checksum: report.manifest.checksum,
        });
        expect(sent(report)).toBeGreaterThan(100_000);

        await system().db.run(
          "DELETE FROM ods.geo_event WHERE click_id = (SELECT min(click_id) FROM ods.geo_event)",
        );
        await system().airflow.ask("POST", "/dags/generator_control/clearTaskInstances", {
          dag_run_id: ended.id,
          task_ids: ["report"],
          reset_dag_runs: true,
          only_failed: false,
          dry_run: false,
        });
        const again = await system().ended("generator_control", ended.id);
        expect(again.failures.report).toMatch(/\d messages? unaccounted for.*pipeline ddl/s);
        expect((await reportOf(again)).reconciliation.unaccounted).toBeGreaterThan(0);
      },
    );
  });
}
