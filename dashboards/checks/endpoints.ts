import { UserError } from "../../contract/errors.ts";

/** Where the services that watch the stack answer, and what Grafana's administrator says. */
export interface Monitoring {
  readonly metricsUrl: string;
  /** Name of Prometheus' container at the engine. */
  readonly metricsContainer: string;
  readonly grafana: { readonly url: string; readonly password: string } | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws UserError outside of `stack run`, or where monitoring is switched off */
export function readMonitoring(environment: Environment = process.env): Monitoring {
  const { METRICS_URL, METRICS_CONTAINER, GRAFANA_URL, GRAFANA_PASSWORD = "" } = environment;
  if (!METRICS_URL || !METRICS_CONTAINER) {
    throw new UserError(
      "METRICS_URL and METRICS_CONTAINER are not set: which metrics store is meant?",
      "make reload-monitoring, recover-monitoring or drill set them; metrics.enabled must be true",
    );
  }
  return {
    metricsUrl: METRICS_URL,
    metricsContainer: METRICS_CONTAINER,
    grafana: GRAFANA_URL ? { url: GRAFANA_URL, password: GRAFANA_PASSWORD } : null,
  };
}
