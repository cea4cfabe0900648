import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { itLong } from "../support/long-cases.ts";
import type { TestSystem } from "./environment.ts";
import { deleteTopics, waitForStep } from "./interfere.ts";

const MARKED = "dm.dq_summary WHERE layer = 'marker'";
const LATEST_EPOCH = "epoch = (SELECT max(epoch) FROM stg.raw)";

/** Shortest time before Airflow retries a task for the first time (RETRY of the DAGs). */
const FIRST_RETRY_SECONDS = 15;

/** Tables of one layer out of all digests. */
const layer = (all: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([table]) => table.startsWith(`${name}.`)));

/** Failures under `broker_load` and `etl_pipeline`, and the state of the runs after them. */
export function failureCases(system: () => TestSystem): void {
  describe("failures", () => {
    let before: Record<string, string>;
    /** Digests of the whole dataset, loaded once. */
    let whole: Record<string, string>;

    it("a missing click ends the run at once, without a retry, before dm changes", async () => {
      before = await system().digests();
      // Every writer replaces this table as a whole.
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

    itLong(
      "a full refresh fixes it; a database restart during a load costs at most one retry",
      async () => {
        const id = await system().trigger("etl_pipeline", { full_refresh: true });
        await waitForStep(system(), "load_dds");
        const killed = performance.now();
        await system().killDatabase();
        await sleep(1_000);
        await system().startDatabase();
        const awaySeconds = (performance.now() - killed) / 1_000;
        const ended = await system().ended("etl_pipeline", id);
        expect(ended.failures).toEqual({});
        expect(ended.tasks.load_dds?.state).toBe("success");
        expect(ended.tasks.load_dds?.try_number).toBeGreaterThanOrEqual(2);
        // A retry may find the database still down only if the database is slow to start.
        const tries = 2 + Math.floor(awaySeconds / FIRST_RETRY_SECONDS);
        expect(ended.tasks.load_dds?.try_number).toBeLessThanOrEqual(tries);
        expect(await system().digests()).toEqual(before);
      },
    );

    itLong("broker_load without a broker fails and names it; with a broker it loads", async () => {
      await system().broker.shutDown();
      const { state, failures } = await system().run("broker_load", { limit: 50 });
      await system().broker.restart();
      expect(state).toBe("failed");
      expect(failures.load_broker).toMatch(/Kafka at .*cannot be reached/);
      expect((await system().run("broker_load")).failures).toEqual({});
      expect(await system().rows(`stg.raw WHERE ${LATEST_EPOCH}`)).toBeGreaterThan(1_000);
      expect((await system().run("etl_pipeline")).failures).toEqual({});
      whole = await system().digests();
    });

    itLong("after everything was wiped: ddl_init and a load bring all of it back", async () => {
      await system().dropLayers();
      await deleteTopics(system());
      const bare = await system().run("etl_pipeline");
      expect(bare.failures).toEqual({
        wait_for_stg_data: expect.stringMatching(/schema is missing.*run the DAG ddl_init/s),
      });
      expect((await system().run("ddl_init")).failures).toEqual({});
      expect((await system().run("broker_load")).failures).toEqual({});
      expect((await system().run("etl_pipeline")).failures).toEqual({});
      // ods also held earlier loads of the same dataset, so dds knows these messages as repeated.
      const after = await system().digests();
      for (const name of ["dds", "dm"]) expect(layer(after, name)).toEqual(layer(whole, name));
      expect(await system().pipeline("prove")).toMatchObject({ status: 0 });
    });
  });
}
