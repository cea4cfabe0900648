import type * as pulumi from "@pulumi/pulumi";
import type { Broker } from "./broker/index.ts";
import { Dashboards } from "./dashboards/index.ts";
import type { Database } from "./database/index.ts";
import { Metrics } from "./metrics/index.ts";
import { previously, Service, type StackContext } from "./resources/service.ts";
import type { SharedSecrets } from "./resources/shared-secrets.ts";
import type { MonitoringPlan } from "./services.ts";

export interface MonitoringArgs {
  readonly plan: MonitoringPlan;
  readonly context: StackContext;
  readonly shared: SharedSecrets;
  readonly broker: Broker;
  readonly database: Database;
  readonly watched: readonly (pulumi.Resource | null)[];
}

export function deployMonitoring(
  args: MonitoringArgs,
  opts: pulumi.ComponentResourceOptions,
): void {
  const { plan, context, shared, broker, database } = args;
  const exporters = [
    plan.brokerExporter &&
      // It exits if it finds no broker at its start.
      new Service(
        "broker-exporter",
        { spec: plan.brokerExporter, context, after: [broker], secrets: broker.secrets },
        previously("eventpipeline:monitoring:BrokerExporter", opts),
      ),
    plan.statsdExporter &&
      new Service(
        "statsd-exporter",
        { spec: plan.statsdExporter, context },
        previously("eventpipeline:monitoring:StatsdExporter", opts),
      ),
  ];
  if (plan.metrics === null) return;
  const after = [...args.watched, ...exporters].filter((resource) => resource !== null);
  const metrics = new Metrics("metrics", { plan: plan.metrics, context, database, after }, opts);
  if (plan.dashboards === null) return;
  new Dashboards(
    "dashboards",
    { plan: plan.dashboards, metrics: plan.metrics, context, shared },
    { ...opts, dependsOn: [metrics] },
  );
}
