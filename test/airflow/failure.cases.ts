import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readPlan } from "../../pipeline/batch/plan.ts";
import { deleteTopics, untilStepIsAtWork } from "./interfere.ts";
import type { Ended, Stand } from "./stand.ts";

const MARKED = "dm.dq_summary WHERE layer = 'marker'";
const LATEST_EPOCH = "epoch = (SELECT max(epoch) FROM stg.browser_raw)";

/** How long a task has run. */
const secondsOf = ({ tasks }: Ended, id: string): number => tasks[id]?.duration ?? Number.NaN;

/** Tables of one layer out of all digests. */
const layer = (all: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([table]) => table.startsWith(`${name}.`)));

/** What goes wrong under `broker_load` and `etl_pipeline`, and what the runs make of it. */
export function failureCases(stand: () => Stand): void {
  describe("failures", () => {
    let before: Record<string, string>;
    /** Of the whole data set, loaded once. */
    let whole: Record<string, string>;

    it("a click that is gone ends the run at once, without a retry, before dm is touched", async () => {
      before = await stand().digests();
      // Whatever writes into this table writes it whole.
      await stand().db.run("INSERT INTO dm.dq_summary (layer) VALUES ('marker')");
      expect(await stand().rows(MARKED)).toBe(1);
      await stand().db.run(
        "DELETE FROM dds.click WHERE click_id = (SELECT min(click_id) FROM dds.event)",
      );
      const { state, tasks, failures } = await stand().run("etl_pipeline", { full_refresh: false });
      expect(state).toBe("failed");
      expect(failures.assert_dds_integrity).toMatch(/orphan_events = \d+.*dm was not touched/s);
      expect(tasks.assert_dds_integrity).toMatchObject({ state: "failed", try_number: 1 });
      const marts = readPlan().steps.flatMap(({ id }) => (id.startsWith("load_dm") ? [id] : []));
      expect(marts.map((id) => tasks[id]?.state)).toEqual(marts.map(() => "upstream_failed"));
      expect(await stand().rows(MARKED)).toBe(1);
      expect(layer(await stand().digests(), "dm")).toEqual(layer(before, "dm"));
    });

    it("a full refresh cures it; a database that restarts in mid-load costs a retry, no more", async () => {
      const id = await stand().trigger("etl_pipeline", { full_refresh: true });
      await untilStepIsAtWork(stand(), "load_dds");
      await stand().killDatabase();
      await sleep(1_000);
      await stand().startDatabase();
      const ended = await stand().ended("etl_pipeline", id);
      expect(ended.failures).toEqual({});
      expect(ended.tasks.load_dds).toMatchObject({ state: "success", try_number: 2 });
      expect(await stand().digests()).toEqual(before);
    });

    it("broker_load without a broker fails and names it; with one it loads again", async () => {
      await stand().broker.shutDown();
      const { state, failures } = await stand().run("broker_load", { limit: 50 });
      await stand().broker.restart();
      expect(state).toBe("failed");
      expect(failures.load_broker).toMatch(/Kafka at .*cannot be reached/);
      expect((await stand().run("broker_load")).failures).toEqual({});
      expect(await stand().rows(`stg.browser_raw WHERE ${LATEST_EPOCH}`)).toBeGreaterThan(1_000);
      expect((await stand().run("etl_pipeline")).failures).toEqual({});
      whole = await stand().digests();
    });

    it("after everything was wiped: no data is waited for as long as was asked, then all comes back", async () => {
      await stand().dropLayers();
      await deleteTopics(stand());
      const bare = await stand().run("etl_pipeline");
      expect(bare.failures).toEqual({
        wait_for_stg_data: expect.stringMatching(/schema is missing.*run the DAG ddl_init/s),
      });
      expect((await stand().run("ddl_init")).failures).toEqual({});
      const empty = await stand().run("etl_pipeline", { wait_stg_timeout_sec: 30 });
      expect(empty.failures.wait_for_stg_data).toMatch(/No data in stg within 30 s/);
      expect(secondsOf(empty, "wait_for_stg_data")).toBeGreaterThanOrEqual(30);
      expect(secondsOf(empty, "wait_for_stg_data")).toBeLessThan(60);
      expect((await stand().run("broker_load")).failures).toEqual({});
      expect((await stand().run("etl_pipeline")).failures).toEqual({});
      // ods held former loads of the same data set as well, whose messages dds knows as repeated.
      const after = await stand().digests();
      for (const name of ["dds", "dm"]) expect(layer(after, name)).toEqual(layer(whole, name));
      expect(await stand().pipeline("prove")).toMatchObject({ status: 0 });
    });
  });
}
