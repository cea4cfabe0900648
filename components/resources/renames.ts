import * as pulumi from "@pulumi/pulumi";

/** Types of services that had their own class in previous versions. */
const TYPES: Readonly<Record<string, string>> = {
  "broker-exporter": "eventpipeline:monitoring:BrokerExporter",
  "broker-ui": "eventpipeline:broker:BrokerUi",
  "statsd-exporter": "eventpipeline:monitoring:StatsdExporter",
};

/** Services whose resources were children of another component, whose name was their prefix. */
const OWNERS: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  "alert-log": { name: "metrics", type: "eventpipeline:monitoring:Metrics" },
};

/** Data volumes that had another name. */
export const PREVIOUS_VOLUMES: Readonly<Record<string, string>> = {
  "dashboards-library": "dashboards-data",
  "metrics-series": "metrics-data",
  "scheduler-logs": "scheduler-data",
};

/** Returns the aliases of a service; encryption keys have theirs in encryption-keys.ts. */
export function previousService(name: string): pulumi.Alias[] {
  const type = TYPES[name];
  return type ? [{ type }] : [];
}

/** Returns the aliases of a service's child, because previous versions had no Service between. */
export function previousChild(
  service: string,
  name: string,
  component: pulumi.Resource | undefined,
): pulumi.Alias[] {
  const owner = OWNERS[service];
  if (component) return [{ parent: component }];
  if (!owner) return [];
  return [{ name: `${owner.name}-${name}`, parent: pulumi.createUrn(owner.name, owner.type) }];
}

/** Adds the aliases of a renamed volume. @param aliases of the volume with its present name */
export function previousVolume(name: string, aliases: readonly pulumi.Alias[]): pulumi.Alias[] {
  const previous = PREVIOUS_VOLUMES[name];
  if (!previous) return [...aliases];
  return [...aliases, ...[{}, ...aliases].map((one) => ({ ...one, name: previous }))];
}
