import { describe, expect, it } from "vitest";
import type { TestSystem } from "./environment.ts";

const LONG_AGO = "2020-01-01T00:00:00Z";

/** Rows that the scheduler's upkeep removes from the metadata, and rows that it keeps. */
export function upkeepCases(system: () => TestSystem): void {
  describe("upkeep", () => {
    const ask = (sql: string): string => system().airflow.metadata(sql);
    const runsOf = (dag: string): number =>
      Number(ask(`SELECT count(*) FROM dag_run WHERE dag_id = '${dag}'`));

    it("removes old runs; a DAG that was not parsed for a long time stays, and stays paused", async () => {
      await system().airflow.client.setPaused("etl_pipeline", true);
      ask(`UPDATE dag_run SET start_date = '${LONG_AGO}' WHERE dag_id = 'ddl_init'`);
      ask(`UPDATE dag SET last_parsed_time = '${LONG_AGO}' WHERE dag_id = 'etl_pipeline'`);
      const kept = runsOf("broker_load");
      expect([runsOf("ddl_init"), kept]).toEqual([
        expect.toSatisfy(isSome),
        expect.toSatisfy(isSome),
      ]);

      const { status, output } = system().airflow.upkeep(14);
      const isPaused = ask("SELECT is_paused FROM dag WHERE dag_id = 'etl_pipeline'");
      await system().airflow.client.setPaused("etl_pipeline", false);
      expect(status, output).toBe(0);
      expect(output).not.toMatch(/not valid choices/);
      expect([runsOf("ddl_init"), runsOf("broker_load")]).toEqual([0, kept]);
      expect(isPaused).toBe("t");
    });
  });
}

const isSome = (count: number): boolean => count > 0;
