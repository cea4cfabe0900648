import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../contract/errors.ts";
import { runDocker } from "../../terminal/docker.ts";
import { containerBeside, type Monitoring } from "./endpoints.ts";
import { reloadGrafana } from "./grafana.ts";

const WITHIN_MS = 30_000;
const POLL_MS = 250;

/** Parts to reload: the files of Prometheus or of Grafana. */
export const RELOAD_PARTS = ["metrics", "dashboards"] as const;
export type ReloadPart = (typeof RELOAD_PARTS)[number];

/** Reloads files without a restart, except of the StatsD exporter. @throws UserError if a service refuses its files */
export async function reload(monitoring: Monitoring, parts: readonly ReloadPart[]): Promise<void> {
  if (parts.includes("metrics")) {
    await reloadPrometheus(monitoring);
    await restartStatsdExporter(monitoring);
  }
  if (parts.includes("dashboards") && monitoring.grafana) await reloadGrafana(monitoring.grafana);
}

/** Restarts the exporter, if the stack has one, which forgets series of removed DAGs only then. */
async function restartStatsdExporter({ metricsContainer }: Monitoring): Promise<void> {
  const id = await containerBeside(metricsContainer, "statsd-exporter");
  if (id) await runDocker("restart", id);
}

/** Reloads by signal: the HTTP endpoint would let anyone who reaches the port stop Prometheus. */
async function reloadPrometheus({ metricsContainer, metricsUrl }: Monitoring): Promise<void> {
  const before = await lastReload(metricsUrl);
  await runDocker("kill", "--signal", "HUP", metricsContainer);
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const now = await lastReload(metricsUrl);
    if (now.succeededAt > before.succeededAt) return;
    if (before.isGood && !now.isGood) break;
  }
  throw new UserError(
    "Prometheus refuses the new configuration and keeps the previous one",
    "run make logs SERVICE=prometheus for the reason, undo the last change of rules or targets, then run make up",
  );
}

interface Reload {
  readonly isGood: boolean;
  /** Time of the last successful reload, Unix seconds. */
  readonly succeededAt: number;
}

async function lastReload(url: string): Promise<Reload> {
  const answer = await fetch(`${url}/metrics`).catch(() => undefined);
  if (!answer?.ok) {
    throw new UserError(`Prometheus at ${url} does not answer`, "run make up, then make doctor");
  }
  const text = await answer.text();
  const gauge = (name: string) =>
    Number(new RegExp(`^prometheus_config_last_reload_${name} (\\S+)$`, "m").exec(text)?.[1]);
  return {
    isGood: gauge("successful") === 1,
    succeededAt: gauge("success_timestamp_seconds"),
  };
}
