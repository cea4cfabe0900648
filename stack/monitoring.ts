import type { MetricsPlan } from "../components/metrics/spec.ts";
import type { StackPlan } from "../components/services.ts";
import { docker } from "../terminal/docker.ts";
import { localPlan } from "./lifecycle/local-plan.ts";
import { prepare, up } from "./lifecycle/up.ts";
import { requireService } from "./require-service.ts";

export type PrintLine = (line: string) => void;

export interface MonitoringPlans {
  readonly plan: StackPlan;
  readonly metrics: MetricsPlan;
}

export function watched(stack: string): MonitoringPlans {
  const plan = localPlan(stack);
  return { plan, metrics: requireService(stack, plan, "metrics") };
}

/** Restarts the exporter, which resets its series; returns null if the stack has none. */
export async function restartStatsdExporter(stack: string): Promise<string | null> {
  const name = watched(stack).plan.statsdExporter?.service.container.name;
  if (name) await docker("restart", name);
  return name ?? null;
}

/** Re-creates the metrics store. @throws UserError before a deletion, if `up` would fail */
export async function recoverMonitoring(stack: string, print: PrintLine): Promise<void> {
  const { plan, metrics } = watched(stack);
  await prepare(stack);
  print(`Deleting the series of the metrics store: volume ${metrics.dataVolume}.`);
  await removeService(metrics.service.container.name, metrics.dataVolume);
  const statsd = plan.statsdExporter?.service.container.name;
  if (statsd) await docker("rm", "--force", "--volumes", statsd);
  await up(stack);
  // Airflow keeps a broken metrics connection until a restart.
  const senders = plan.scheduler ? [plan.scheduler.service, plan.scheduler.web] : [];
  for (const { container } of senders) await docker("restart", container.name);
}

/** Re-creates Grafana's data. @throws UserError before a deletion, if `up` would fail */
export async function resetDashboards(stack: string, print: PrintLine): Promise<void> {
  const dashboards = requireService(stack, localPlan(stack), "dashboards");
  await prepare(stack);
  print(
    `Deleting Grafana's data, including content created by hand: volume ${dashboards.dataVolume}.`,
  );
  await removeService(dashboards.service.container.name, dashboards.dataVolume);
  await up(stack);
  // A refresh finds the missing content only while Grafana runs.
  await up(stack, { refreshesContent: true });
}

async function removeService(container: string, volume: string): Promise<void> {
  await docker("rm", "--force", "--volumes", container);
  await docker("volume", "rm", "--force", volume);
}
