import { describe, expect, it } from "vitest";
import { itLong } from "../support/long-cases.ts";
import { type EndedRun, type TestSystem, textOf } from "./environment.ts";

/** Duration of a task's command according to its log, without the start of the task. */
async function secondsOf(
  { airflow }: TestSystem,
  { id, tasks }: EndedRun,
  name: string,
): Promise<number> {
  const task = tasks[name];
  if (!task) throw new Error(`no task ${name}`);
  const log = await airflow.client.log("etl_pipeline", id, task);
  // Lines of the command itself, from the one that names it to its last.
  const lines = log.filter(({ filename }) => filename === "command.py");
  const times = lines.map(({ timestamp }) => Date.parse(timestamp ?? ""));
  return ((times.at(-1) ?? Number.NaN) - (times[0] ?? Number.NaN)) / 1_000;
}

/** `ddl_init` and `broker_load`, from an empty environment to raw rows. */
export function schemaCases(system: () => TestSystem): void {
  describe("ddl_init and broker_load", () => {
    it("the batch process without a schema fails and names ddl_init", async () => {
      const { state, failures, tasks } = await system().run("etl_pipeline");
      expect(state).toBe("failed");
      expect(failures.wait_for_stg_data).toMatch(/schema is missing.*\n.*run the DAG ddl_init/s);
      expect(tasks.load_ods?.state).toBe("upstream_failed");
    });

    itLong(
      "broker_load without a schema fails before it loads anything, and names ddl_init",
      async () => {
        const { state, failures } = await system().run("broker_load", { limit: 50 });
        expect(state).toBe("failed");
        expect(failures.load_broker).toMatch(
          /does not read from Kafka\. Nothing was loaded.*run the DAG ddl_init/s,
        );
      },
    );

    itLong("verify_only lists missing objects and creates nothing", async () => {
      const { state, failures } = await system().run("ddl_init", { verify_only: true });
      expect(state).toBe("failed");
      expect(failures.apply_schema).toMatch(/\d+ objects of .* differ from sql\/ddl/);
      expect(await system().rows("system.tables WHERE database = 'ods'")).toBe(0);
    });

    it("creates schema and topics, after which verify_only passes", async () => {
      expect((await system().run("ddl_init")).failures).toEqual({});
      expect((await system().run("ddl_init", { verify_only: true })).failures).toEqual({});
    });

    it("etl_pipeline without data waits for the given time, then fails", async () => {
      const empty = await system().run("etl_pipeline", { wait_stg_timeout_sec: 30 });
      expect(empty.failures.wait_for_stg_data).toMatch(/No data in stg within 30 s/);
      const waited = await secondsOf(system(), empty, "wait_for_stg_data");
      expect(waited).toBeGreaterThanOrEqual(30);
    });

    itLong("verify_only fails on drift and names it, without a change", async () => {
      await system().db.run("DROP VIEW dm.v_funnel");
      const { id, failures } = await system().run("ddl_init", { verify_only: true });
      expect(failures.apply_schema).toMatch(/1 objects/);
      const { client } = system().airflow;
      const [task] = (await client.tasks("ddl_init", id)).filter(
        ({ task_id }) => task_id === "apply_schema",
      );
      if (!task) throw new Error("no task");
      expect(textOf(await client.log("ddl_init", id, task))).toMatch(/dm\.v_funnel/);
      expect(await system().rows("system.tables WHERE name = 'v_funnel'")).toBe(0);
      expect((await system().run("ddl_init")).state).toBe("success");
    });

    itLong("broker_load loads a slice, and appends if the topics are not reset", async () => {
      expect((await system().run("broker_load", { limit: 50 })).failures).toEqual({});
      const rows = await system().rows("stg.raw");
      expect(rows).toBeGreaterThanOrEqual(50);
      expect(rows).toBeLessThan(100);
      const more = await system().run("broker_load", { limit: 50, reset_topics: false });
      expect(more.failures).toEqual({});
      expect(await system().rows("stg.raw")).toBe(2 * rows);
    });

    it("refuses parameters of the wrong type when the run is triggered", async () => {
      await expect(system().trigger("broker_load", { limit: -1 })).rejects.toThrow(/minimum/);
      await expect(system().trigger("ddl_init", { verify_only: "yes" })).rejects.toThrow(/boolean/);
    });
  });
}
