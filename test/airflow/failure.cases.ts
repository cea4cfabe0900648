import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readPlan } from "../../warehouse/batch/plan.ts";
import type { Ended, TestSystem } from "./environment.ts";
import { deleteTopics, untilStepIsAtWork } from "./interfere.ts";

const MARKED = "dm.dq_summary WHERE layer = 'marker'";
const LATEST_EPOCH = "epoch = (SELECT max(epoch) FROM stg.browser_raw)";

/** Airflow waits at least so long before it tries again, for the first time (RETRY of the DAGs). */
const FIRST_RETRY_SECONDS = 15;

/** Of the lines that Airflow writes for the command itself, from the one that names it to its last. */
const COMMAND_LINE = /^\[(\S+)\] \{command\.py:\d+\}/gm;

/** How long a task's command has run, by its own log: a busy machine takes long to start the task. */
async function secondsOf(
  { airflow }: TestSystem,
  { id, tasks }: Ended,
  name: string,
): Promise<number> {
  const task = tasks[name];
  if (!task) throw new Error(`no task ${name}`);
  const log = await airflow.client.log("etl_pipeline", id, task);
  const times = [...log.matchAll(COMMAND_LINE)].map(([, time = ""]) => Date.parse(time));
  return ((times.at(-1) ?? Number.NaN) - (times[0] ?? Number.NaN)) / 1_000;
}

/** Tables of one layer out of all digests. */
const layer = (all: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([table]) => table.startsWith(`${name}.`)));

/** What goes wrong under `broker_load` and `etl_pipeline`, and what the runs make of it. */
export function failureCases(system: () => TestSystem): void {
  describe("failures", () => {
    let before: Record<string, string>;
    /** Of the whole data set, loaded once. */
    let whole: Record<string, string>;

    it("a click that is gone ends the run at once, without a retry, before dm is touched", async () => {
      before = await system().digests();
      // Whatever writes into this table writes it whole.
      await system().db.run("INSERT INTO dm.dq_summary (layer) VALUES ('marker')");
      expect(await system().rows(MARKED)).toBe(1);
      await system().db.run(
        "DELETE FROM dds.click WHERE click_id = (SELECT min(click_id) FROM dds.event)",
      );
      const { state, tasks, failures } = await system().run("etl_pipeline", {
        full_refresh: false,
      });
      expect(state).toBe("failed");
      expect(failures.assert_dds_integrity).toMatch(
        /orphan_events = \d+.*The step changed no table/s,
      );
      expect(tasks.assert_dds_integrity).toMatchObject({ state: "failed", try_number: 1 });
      const marts = readPlan().steps.flatMap(({ id }) => (id.startsWith("load_dm") ? [id] : []));
      expect(marts.map((id) => tasks[id]?.state)).toEqual(marts.map(() => "upstream_failed"));
      expect(await system().rows(MARKED)).toBe(1);
      expect(layer(await system().digests(), "dm")).toEqual(layer(before, "dm"));
    });

    it("a full refresh fixes it; a database that restarts in mid-load costs a retry, no more", async () => {
      const id = await system().trigger("etl_pipeline", { full_refresh: true });
      await untilStepIsAtWork(system(), "load_dds");
      const killed = performance.now();
      await system().killDatabase();
      await sleep(1_000);
      await system().startDatabase();
      const awaySeconds = (performance.now() - killed) / 1_000;
      const ended = await system().ended("etl_pipeline", id);
      expect(ended.failures).toEqual({});
      expect(ended.tasks.load_dds?.state).toBe("success");
      expect(ended.tasks.load_dds?.try_number).toBeGreaterThanOrEqual(2);
      // Only where the database is slow to start may a retry find it away as well.
      const tries = 2 + Math.floor(awaySeconds / FIRST_RETRY_SECONDS);
      expect(ended.tasks.load_dds?.try_number).toBeLessThanOrEqual(tries);
      expect(await system().digests()).toEqual(before);
    });

    it("broker_load without a broker fails and names it; with one it loads again", async () => {
      await system().broker.shutDown();
      const { state, failures } = await system().run("broker_load", { limit: 50 });
      await system().broker.restart();
      expect(state).toBe("failed");
      expect(failures.load_broker).toMatch(/Kafka at .*cannot be reached/);
      expect((await system().run("broker_load")).failures).toEqual({});
      expect(await system().rows(`stg.browser_raw WHERE ${LATEST_EPOCH}`)).toBeGreaterThan(1_000);
      expect((await system().run("etl_pipeline")).failures).toEqual({});
      whole = await system().digests();
    });

    it("after everything was wiped: no data is waited for as long as was asked, then all comes back", async () => {
      await system().dropLayers();
      await deleteTopics(system());
      const bare = await system().run("etl_pipeline");
      expect(bare.failures).toEqual({
        wait_for_stg_data: expect.stringMatching(/schema is missing.*run the DAG ddl_init/s),
      });
      expect((await system().run("ddl_init")).failures).toEqual({});
      const empty = await system().run("etl_pipeline", { wait_stg_timeout_sec: 30 });
      expect(empty.failures.wait_for_stg_data).toMatch(/No data in stg within 30 s/);
      const waited = await secondsOf(system(), empty, "wait_for_stg_data");
      expect(waited).toBeGreaterThanOrEqual(30);
      expect(waited).toBeLessThan(60);
      expect((await system().run("broker_load")).failures).toEqual({});
      expect((await system().run("etl_pipeline")).failures).toEqual({});
      // ods held former loads of the same data set as well, whose messages dds knows as repeated.
      const after = await system().digests();
      for (const name of ["dds", "dm"]) expect(layer(after, name)).toEqual(layer(whole, name));
      expect(await system().pipeline("prove")).toMatchObject({ status: 0 });
    });
  });
}
