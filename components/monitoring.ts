import type * as pulumi from "@pulumi/pulumi";
import type { Broker } from "./broker/index.ts";
import type { Topics } from "./broker/topics.ts";
import { BrokerExporter } from "./broker-exporter/index.ts";
import { Dashboards } from "./dashboards/index.ts";
import type { Database } from "./database/index.ts";
import { Metrics } from "./metrics/index.ts";
import type { StackContext } from "./resources/service.ts";
import type { SharedSecrets } from "./resources/shared-secrets.ts";
import type { MonitoringPlan } from "./services.ts";
import { StatsdExporter } from "./statsd-exporter/index.ts";

export interface MonitoringArgs {
  readonly plan: MonitoringPlan;
  readonly context: StackContext;
  readonly shared: SharedSecrets;
  readonly broker: Broker;
  readonly database: Database;
  readonly topics: Topics;
  /** What is watched besides. */
  readonly watched: readonly (pulumi.Resource | null)[];
}

/** Addresses of what watches the stack, as far as it is switched on. */
export function deployMonitoring(
  args: MonitoringArgs,
  opts: pulumi.ComponentResourceOptions,
): Record<string, string> {
  const { plan, shared, broker, database, topics } = args;
  // At a start nobody waits for these, and all wait for the broker.
  const context = { ...args.context, behind: [topics.brokerAnswers] };
  const exporters = [
    plan.brokerExporter &&
      new BrokerExporter(
        "broker-exporter",
        { plan: plan.brokerExporter, context, broker, topics },
        opts,
      ),
    plan.statsdExporter &&
      new StatsdExporter("statsd-exporter", { plan: plan.statsdExporter, context }, opts),
  ];
  if (plan.metrics === null) return {};
  const after = [...args.watched, ...exporters].filter((resource) => resource !== null);
  const metrics = new Metrics("metrics", { plan: plan.metrics, context, database, after }, opts);
  if (plan.dashboards === null) return { metrics: metrics.url };
  const dashboards = new Dashboards(
    "dashboards",
    { plan: plan.dashboards, metrics: plan.metrics, context, shared },
    { ...opts, dependsOn: [metrics] },
  );
  return { metrics: metrics.url, dashboards: dashboards.url };
}
