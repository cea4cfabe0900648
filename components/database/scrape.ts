import { JOBS } from "../../dashboards/promql.ts";
import type { ScrapeJob } from "../shared/spec.ts";

/** Job that queries the state of the layers. @param url of the HTTP interface, inside the stack */
export function layersJob(url: string, account: NonNullable<ScrapeJob["account"]>): ScrapeJob {
  const { protocol, host } = new URL(url);
  return {
    job: JOBS.pipeline,
    target: host,
    account,
    settings: {
      // The query counts rows, so it runs less often than other jobs.
      scrape_interval: "30s",
      scrape_timeout: "20s",
      scheme: protocol.replace(":", ""),
      metrics_path: "/",
      params: { query: ["SELECT * FROM dm_internal.v_pipeline_metrics FORMAT Prometheus"] },
    },
  };
}
