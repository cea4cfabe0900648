import { describe, expect, it } from "vitest";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { itLong } from "../support/long-cases.ts";
import type { EndedRun, TestSystem } from "./environment.ts";

/** Tasks that succeeded, in the order in which they started. */
const order = ({ tasks }: EndedRun): string[] =>
  Object.values(tasks)
    .sort((a, b) => (a.start_date ?? "").localeCompare(b.start_date ?? ""))
    .map(({ task_id }) => task_id);

/** `etl_pipeline`: parameters, order, gate. */
export function etlCases(system: () => TestSystem): void {
  describe("etl_pipeline", () => {
    it("loads every layer in the plan's order", async () => {
      expect((await system().run("broker_load")).failures).toEqual({});
      const ended = await system().run("etl_pipeline");
      expect(ended.failures).toEqual({});
      expect(order(ended)).toEqual(readPlan().steps.map(({ id }) => id));
      expect(await system().pipeline("prove")).toMatchObject({ status: 0 });
    });

    itLong(
      "the second of two runs waits; full, incremental and cleared runs give the same digests",
      async () => {
        const before = await system().digests();
        const first = await system().trigger("etl_pipeline", { full_refresh: true });
        const second = await system().trigger("etl_pipeline", { full_refresh: false });
        const full = await system().ended("etl_pipeline", first);
        const incremental = await system().ended("etl_pipeline", second);
        expect({ ...full.failures, ...incremental.failures }).toEqual({});
        const { end_date: endOfFirst } = await system().airflow.client.run("etl_pipeline", first);
        const startOfSecond = incremental.tasks.wait_for_stg_data?.start_date ?? "0";
        expect(Date.parse(startOfSecond)).toBeGreaterThanOrEqual(Date.parse(endOfFirst ?? ""));
        expect(await system().digests()).toEqual(before);
        await system().airflow.client.clear("etl_pipeline", full.id);
        const cleared = await system().ended("etl_pipeline", full.id);
        expect(cleared.failures).toEqual({});
        for (const [id, { start_date: again }] of Object.entries(cleared.tasks)) {
          expect((again ?? "") > (full.tasks[id]?.start_date ?? "9"), id).toBe(true);
        }
        expect(await system().digests()).toEqual(before);
      },
    );

    it("refuses a wait of less than 30 seconds", async () => {
      await expect(system().trigger("etl_pipeline", { wait_stg_timeout_sec: 29 })).rejects.toThrow(
        /29 is less than the minimum of 30/,
      );
    });
  });
}
