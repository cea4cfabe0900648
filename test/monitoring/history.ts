import { execFileSync } from "node:child_process";
import { until } from "../kafka/harness.ts";
import { tools } from "./tools.ts";

/** Minutes of the past, and between two samples. */
const PAST = 45;
const METRIC = "ClickHouseAsyncMetrics_DiskAvailable_default";

/**
 * The hour before a short run, in OpenMetrics: free disk as the database at `target` tells it now.
 * What looks half an hour back has something to see.
 */
export async function openMetricsHistory(target: string): Promise<string> {
  let value: string | undefined;
  // An engine that has just started on a busy machine may refuse its first question.
  await until(`${target} tells ${METRIC}`, async () => {
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

/** Turns it into blocks of a store that no Prometheus has opened yet. */
export function storeHistory(file: string, store: string): void {
  execFileSync(tools.promtool(), ["tsdb", "create-blocks-from", "openmetrics", file, store]);
}
