import { LABELS } from "../../components/shared/names.ts";
import { docker, dockerRows } from "../../terminal/docker.ts";

export interface OwnedObject {
  readonly id: string;
  readonly name: string;
}

export type OwnedKind = "container" | "network" | "volume" | "image";

const LISTINGS: Readonly<Record<OwnedKind, readonly string[]>> = {
  container: ["ps", "--all", "--no-trunc", "--format", "{{.ID}}\t{{.Names}}"],
  network: ["network", "ls", "--no-trunc", "--format", "{{.ID}}\t{{.Name}}"],
  volume: ["volume", "ls", "--format", "{{.Name}}\t{{.Name}}"],
  image: ["image", "ls", "--all", "--no-trunc", "--format", "{{.ID}}\t{{.Repository}}:{{.Tag}}"],
};

export async function owned(kind: OwnedKind, stack: string): Promise<OwnedObject[]> {
  const rows = await listed(kind, `label=${LABELS.stack}=${stack}`, []);
  return rows.map(([id = "", name = ""]) => ({ id, name }));
}

export interface OwnedOfStack extends OwnedObject {
  readonly kind: OwnedKind;
  readonly stack: string;
}

export async function ownedOfAll(kind: Exclude<OwnedKind, "image">): Promise<OwnedOfStack[]> {
  const rows = await listed(kind, `label=${LABELS.stack}`, [LABELS.stack]);
  return rows
    .map(([id = "", name = "", stack = ""]) => ({ kind, id, name, stack }))
    .filter(({ stack }) => stack !== "");
}

function listed(kind: OwnedKind, filter: string, labels: readonly string[]): Promise<string[][]> {
  const listing = LISTINGS[kind];
  const format = [listing.at(-1), ...labels.map((label) => `{{.Label "${label}"}}`)].join("\t");
  return dockerRows(...listing.slice(0, -1), format, "--filter", filter);
}

const STOP_SECONDS = "60";

export async function removeContainers(containers: readonly OwnedObject[]): Promise<void> {
  const ids = containers.map(({ id }) => id);
  if (ids.length === 0) return;
  await docker("stop", "--time", STOP_SECONDS, ...ids);
  await docker("rm", "--force", "--volumes", ...ids);
}

export async function removeNetworks(networks: readonly OwnedObject[]): Promise<void> {
  if (networks.length > 0) await docker("network", "rm", ...networks.map(({ id }) => id));
}

export interface ServiceListing {
  readonly service?: string;
  readonly isRunning?: boolean;
}

/** Lists containers by service, without jobs. @param columns of the engine's format, e.g. `{{.Names}}` */
export async function serviceRows(
  stack: string,
  columns: readonly string[],
  { service, isRunning = false }: ServiceListing = {},
): Promise<string[][]> {
  const format = [`{{.Label "${LABELS.service}"}}`, ...columns].join("\t");
  const rows = await dockerRows(
    ...["ps", ...(isRunning ? [] : ["--all"]), "--format", format],
    ...["--filter", `label=${LABELS.stack}=${stack}`],
    ...["--filter", `label=${LABELS.service}${service ? `=${service}` : ""}`],
  );
  return rows.sort(([a = ""], [b = ""]) => a.localeCompare(b));
}

/** Starts stopped services. A refresh would see no ports of them, for which Pulumi replaces them. */
export async function startStopped(stack: string): Promise<void> {
  const rows = await serviceRows(stack, ["{{.ID}}", "{{.State}}"]);
  const ids = rows.flatMap(([, id = "", state]) => (state === "exited" ? [id] : []));
  if (ids.length > 0) await docker("start", ...ids);
}
