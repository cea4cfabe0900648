import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DagRun } from "../../airflow/api-client.ts";
import { SAMPLE_DATASET } from "../../generator/dataset/format.ts";
import { itLong } from "../support/long-cases.ts";
import type { TestSystem } from "./environment.ts";

/** `etl_live`: when it loads, and when it does not. */
export function liveCases(system: () => TestSystem): void {
  const client = () => system().airflow.client;
  /** Runs, latest first. */
  const runsOf = async (dag: string): Promise<DagRun[]> => {
    const path = `/dags/${dag}/dagRuns?order_by=-run_after&limit=100`;
    return (await system().airflow.ask<{ dag_runs: DagRun[] }>("GET", path)).dag_runs;
  };

  describe("etl_live", () => {
    beforeAll(() => client().setPaused("etl_pipeline", true));
    afterAll(async () => {
      await client().setPaused("etl_live", true);
      await client().setPaused("etl_pipeline", false);
    });

    it("is paused until it is switched on, then starts by itself; starts no paused DAG", async () => {
      expect(await runsOf("etl_live")).toEqual([]);
      const before = await runsOf("etl_pipeline");
      await client().setPaused("etl_live", false);
      const count = async () => (await runsOf("etl_live")).length;
      await expect.poll(count, { timeout: 300_000 }).toBeGreaterThan(0);
      const first = (await runsOf("etl_live")).at(-1);
      expect(first?.dag_run_id).toMatch(/^scheduled__/);
      const { state, tasks } = await system().ended("etl_live", first?.dag_run_id ?? "");
      expect(state).toBe("success");
      expect(tasks.load?.state).toBe("skipped");
      expect(await runsOf("etl_pipeline")).toHaveLength(before.length);
    });

    itLong("loads new messages incrementally", async () => {
      const before = await system().rows("ods.browser_event");
      await client().setPaused("etl_pipeline", false);
      const append = ["data", "--no-reset", "--limit", "50", "--dataset", SAMPLE_DATASET];
      expect(await system().pipeline(...append)).toMatchObject({ status: 0 });
      const known = await runsOf("etl_pipeline");
      const { state, tasks } = await system().run("etl_live");
      expect(state).toBe("success");
      expect(tasks.load?.state).toBe("success");
      expect(await runsOf("etl_pipeline")).toHaveLength(known.length);
      expect(await system().rows("ods.browser_event")).toBeGreaterThan(before);
      expect(await system().pipeline("prove")).toMatchObject({ status: 0 });
    });

    itLong("loads nothing while a run of etl_pipeline is active", async () => {
      const under = await system().trigger("etl_pipeline", { full_refresh: false });
      const { state, tasks } = await system().run("etl_live");
      const { end_date } = await client().run("etl_pipeline", under);
      expect(state).toBe("success");
      expect(tasks.load?.state).toBe("skipped");
      // The run was still active when the task looked.
      expect(end_date ?? "9").toSatisfy((end: string) => end > (tasks.load?.start_date ?? "9"));
      expect((await system().ended("etl_pipeline", under)).failures).toEqual({});
    });
  });
}
