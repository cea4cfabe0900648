import type { MetricsPlan } from "../components/metrics/spec.ts";
import type { StackPlan } from "../components/services.ts";
import { UserError } from "../contract/errors.ts";
import { docker } from "../terminal/docker.ts";
import { localPlan } from "./lifecycle/local-plan.ts";
import { serviceRows } from "./lifecycle/owned.ts";
import { prepare, up } from "./lifecycle/up.ts";

export type PrintLine = (line: string) => void;

interface Watched {
  readonly plan: StackPlan;
  readonly metrics: MetricsPlan;
}

export function watched(stack: string): Watched {
  const plan = localPlan(stack);
  const { metrics } = plan.monitoring;
  if (metrics) return { plan, metrics };
  throw new UserError(
    `The stack ${stack} has no metrics store: metrics.enabled is false`,
    "set metrics.enabled: true in its configuration, then make up",
  );
}

/** Resets its series; null if the stack has none. */
export async function restartStatsdExporter(stack: string): Promise<string | null> {
  const name = watched(stack).plan.monitoring.statsdExporter?.service.container.name;
  if (name) await docker("restart", name);
  return name ?? null;
}

/** Services that keep a broken metrics connection until a restart. */
const RESTARTED = ["scheduler", "scheduler-web"] as const;

/** @throws UserError before anything is deleted, if `up` would fail */
export async function recoverMonitoring(stack: string, print: PrintLine): Promise<void> {
  const { plan, metrics } = watched(stack);
  await prepare(stack);
  print(`Deleting the series of the metrics store: volume ${metrics.dataVolume}.`);
  await removeService(metrics.service.container.name, metrics.dataVolume);
  const statsd = plan.monitoring.statsdExporter?.service.container.name;
  if (statsd) await docker("rm", "--force", "--volumes", statsd);
  await up(stack);
  for (const role of RESTARTED) {
    const name = await containerOf(stack, role);
    if (name) await docker("restart", name);
  }
}

/** @throws UserError before anything is deleted, if `up` would fail */
export async function resetDashboards(stack: string, print: PrintLine): Promise<void> {
  const { dashboards } = watched(stack).plan.monitoring;
  if (!dashboards) {
    throw new UserError(
      `The stack ${stack} has no Grafana: dashboards.enabled is false`,
      "set dashboards.enabled: true in its configuration, then make up",
    );
  }
  await prepare(stack);
  print(
    `Deleting Grafana's data, including content created by hand: volume ${dashboards.dataVolume}.`,
  );
  await removeService(dashboards.service.container.name, dashboards.dataVolume);
  await up(stack);
  // A refresh finds the missing content only while Grafana runs.
  if (dashboards.delivery === "resources") await up(stack, { refreshesContent: true });
}

async function removeService(container: string, volume: string): Promise<void> {
  await docker("rm", "--force", "--volumes", container);
  await docker("volume", "rm", "--force", volume);
}

async function containerOf(stack: string, role: string): Promise<string | undefined> {
  const [row] = await serviceRows(stack, ["{{.Names}}"], { role });
  return row?.[1];
}
