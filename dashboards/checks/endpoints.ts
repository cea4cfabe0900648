import { UserError } from "../../contract/errors.ts";

export interface Monitoring {
  readonly metricsUrl: string;
  readonly metricsContainer: string;
  readonly grafana: { readonly url: string; readonly password: string } | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the addresses. @throws UserError outside of `stack run`, or if monitoring is disabled */
export function readMonitoring(environment: Environment = process.env): Monitoring {
  const { METRICS_URL, METRICS_CONTAINER, GRAFANA_URL, GRAFANA_PASSWORD = "" } = environment;
  if (!METRICS_URL || !METRICS_CONTAINER) {
    throw new UserError(
      "METRICS_URL and METRICS_CONTAINER are not set: both must name the metrics store",
      "set prometheus.enabled: true, then run make reload-monitoring",
    );
  }
  return {
    metricsUrl: METRICS_URL,
    metricsContainer: METRICS_CONTAINER,
    grafana: GRAFANA_URL ? { url: GRAFANA_URL, password: GRAFANA_PASSWORD } : null,
  };
}

/** Returns the container of another service of the stack, whose name differs only in the service. */
export const containerBeside = (metricsContainer: string, service: string): string =>
  metricsContainer.replace(/prometheus$/, service);
