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
  });
}
