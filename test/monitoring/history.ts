import { execFileSync } from "node:child_process";
import { waitFor } from "../kafka/harness.ts";
import { tools } from "./tools.ts";

/** Minutes of the past, and minutes between two samples. */
const PAST = 45;
const METRIC = "ClickHouseAsyncMetrics_DiskAvailable_default";

/**
 * Samples of the hour before a short run, in OpenMetrics: the present free disk space at `target`,
 * for expressions that look half an hour back.
 */
export async function openMetricsHistory(target: string): Promise<string> {
  let value: string | undefined;
  // An engine that has just started on a busy machine may refuse the first query.
  await waitFor(`${target} reports ${METRIC}`, async () => {
    const text = await (await fetch(`http://${target}/metrics`)).text();
    value = new RegExp(`^${METRIC} (\\S+)$`, "m").exec(text)?.[1];
    return value !== undefined;
  });
  const now = Math.floor(Date.now() / 1000);
  const series = `${METRIC}{job="database",instance="${target}"}`;
  const samples = Array.from(
    { length: PAST - 1 },
    (_, index) => `${series} ${value} ${now - (PAST - index) * 60}`,
  );
  return [`# TYPE ${METRIC} gauge`, ...samples, "# EOF", ""].join("\n");
}

/** Writes the samples as blocks of a store that no Prometheus has opened yet. */
export function storeHistory(file: string, store: string): void {
  execFileSync(tools.promtool(), ["tsdb", "create-blocks-from", "openmetrics", file, store]);
}
