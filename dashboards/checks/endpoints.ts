import { UserError } from "../../contract/errors.ts";
import { LABELS } from "../../contract/labels.ts";
import { dockerRows, runDocker } from "../../terminal/docker.ts";

export interface Monitoring {
  readonly metricsUrl: string;
  /** Id of a container of this stack, which no stack of another checkout has. */
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
      "remove prometheus: false from the configuration, then run make up and make reload-monitoring",
    );
  }
  return {
    metricsUrl: METRICS_URL,
    metricsContainer: METRICS_CONTAINER,
    grafana: GRAFANA_URL ? { url: GRAFANA_URL, password: GRAFANA_PASSWORD } : null,
  };
}

/** Returns the id of another service's container of the same stack; undefined if there is none. */
export async function containerBeside(
  metricsContainer: string,
  service: string,
): Promise<string | undefined> {
  const label = `{{index .Config.Labels "${LABELS.identity}"}}`;
  const identity = await runDocker("inspect", "--format", label, metricsContainer);
  const labels = [`${LABELS.identity}=${identity}`, `${LABELS.service}=${service}`];
  const filters = labels.flatMap((one) => ["--filter", `label=${one}`]);
  const rows = await dockerRows("ps", "--all", "--format", "{{.ID}}", ...filters);
  return rows[0]?.[0];
}
