import { describe, expect, it } from "vitest";
import { JOBS } from "../../dashboards/promql.ts";
import { usedMetrics } from "../support/metric-names.ts";
import { exportedName } from "../support/statsd-names.ts";
import type { TestSystem } from "./environment.ts";

/** Metrics that Airflow sends after successful and failed runs. */
export function metricsCases(system: () => TestSystem): void {
  describe("StatsD", () => {
    // The exporter adds metrics of its own process.
    const used = [...usedMetrics()].flatMap(([name, job]) =>
      job === JOBS.scheduler && name.startsWith("airflow_") ? [name] : [],
    );

    it("dashboards and rules use Airflow metrics", () => expect(used.length).toBeGreaterThan(10));

    it.each(used)("Airflow sends %s", (name) => {
      const sent = new Set(system().statsd.lines().map(exportedName));
      expect([...sent]).toContain(name.replace(/_(sum|count)$/, ""));
    });

    it("the time to read a DAG file is in seconds, as in the metadata", () => {
      const line = system()
        .statsd.lines()
        .find((one) => /^airflow\.dag_processing\.last_duration,.*file_name=ddl_init:/.test(one));
      const [, sent = ""] = /:([\d.]+)\|ms$/.exec(line ?? "") ?? [];
      const seconds = system().airflow.metadata(
        "SELECT last_parse_duration FROM dag WHERE dag_id = 'ddl_init'",
      );
      // Both are of different readings of the file.
      expect(Number(sent) / Number(seconds)).toBeLessThan(30);
      expect(Number(sent) / Number(seconds)).toBeGreaterThan(1 / 30);
    });
  });
}
