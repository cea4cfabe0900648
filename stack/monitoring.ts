import type { MetricsPlan } from "../components/metrics/spec.ts";
import { planStack, type StackPlan } from "../components/services.ts";
import { UserError } from "../contract/errors.ts";
import { docker } from "../terminal/docker.ts";
import { localContext } from "./lifecycle/local-plan.ts";
import { serviceRows } from "./lifecycle/owned.ts";
import { prepare, up } from "./lifecycle/up.ts";

export type Tell = (line: string) => void;

interface Watched {
  readonly plan: StackPlan;
  readonly metrics: MetricsPlan;
}

/** @throws UserError where the stack has no metrics store */
export function watched(stack: string): Watched {
  const plan = planStack(localContext(stack));
  const { metrics } = plan.monitoring;
  if (metrics) return { plan, metrics };
  throw new UserError(
    `The stack ${stack} has no metrics store: metrics.enabled is false.`,
    "set metrics.enabled: true in its configuration, then make up",
  );
}

/** Restarts the StatsD exporter, whose series begin anew; null where the stack has none. */
export async function restartStatsdExporter(stack: string): Promise<string | null> {
  const name = watched(stack).plan.monitoring.statsdExporter?.service.container.name;
  if (name) await docker("restart", name);
  return name ?? null;
}

/** Services that send or read metrics and hold on to what went wrong. */
const RESTARTED = ["scheduler", "scheduler-web"] as const;

/**
 * The hard recovery: a new metrics store with an empty volume, a new StatsD exporter, a restarted
 * scheduler. Everything else runs on.
 * @throws UserError before anything is deleted, where the stack could not be brought up again
 */
export async function recoverMonitoring(stack: string, tell: Tell): Promise<void> {
  const { plan, metrics } = watched(stack);
  await prepare(stack);
  tell(`The series of the metrics store are deleted: volume ${metrics.dataVolume}.`);
  await removeService(metrics.service.container.name, metrics.dataVolume);
  const statsd = plan.monitoring.statsdExporter?.service.container.name;
  if (statsd) await docker("rm", "--force", "--volumes", statsd);
  await up(stack);
  for (const role of RESTARTED) {
    const name = await containerOf(stack, role);
    if (name) await docker("restart", name);
  }
}

/**
 * A new Grafana with an empty library, which is then given everything again.
 * @throws UserError before anything is deleted, where the stack could not be brought up again
 */
export async function resetDashboards(stack: string, tell: Tell): Promise<void> {
  const { dashboards } = watched(stack).plan.monitoring;
  if (!dashboards) {
    throw new UserError(
      `The stack ${stack} has no Grafana.`,
      "dashboards.enabled: true, then make up",
    );
  }
  await prepare(stack);
  tell(`What people made in Grafana by hand is deleted: volume ${dashboards.dataVolume}.`);
  await removeService(dashboards.service.container.name, dashboards.dataVolume);
  await up(stack);
  // Its library is empty now: only a running Grafana can be asked for its content.
  if (dashboards.delivery === "resources") await up(stack, { refreshesContent: true });
}

async function removeService(container: string, volume: string): Promise<void> {
  await docker("rm", "--force", "--volumes", container);
  // The loader of files mounts other volumes: nobody else holds this one.
  await docker("volume", "rm", "--force", volume);
}

async function containerOf(stack: string, role: string): Promise<string | undefined> {
  const [row] = await serviceRows(stack, ["{{.Names}}"], { role });
  return row?.[1];
}
