import { createHash } from "node:crypto";
import type { SecretName } from "../secrets.ts";
import type { Text } from "./secret-text.ts";
import type { DataVolume } from "./service-config.ts";

export interface Address {
  readonly title: string;
  readonly url: string;
  /** Page to open, if not the root; null if the image has no pages. */
  readonly page?: string | null;
  readonly user?: string;
  readonly isTool: boolean;
  /** Page to visit after the first start, and its content. */
  readonly first?: { readonly page: string; readonly shows: string };
}

/** Answer of a published port: an HTTP path, or a protocol. */
export type Answer = `/${string}` | "kafka" | "clickhouse";

export interface PublishedPort {
  /** Name of the setting for messages, e.g. `broker.port`. */
  readonly setting: string;
  readonly inside: number;
  readonly host: number;
  readonly protocol: "tcp" | "udp";
  readonly bind: string;
  /** Null for UDP, which answers nothing. */
  readonly answer: Answer | null;
}

/** Mount of a data or configuration volume. */
export interface VolumeMount {
  readonly volume: string;
  readonly path: string;
  readonly readOnly: boolean;
}

/** Data volume of a stack. @param volume name in the engine */
export interface PlannedVolume extends DataVolume {
  readonly volume: string;
}

export interface HealthCheck {
  readonly test: readonly string[];
  /** Interval, whole seconds. */
  readonly everySeconds: number;
  readonly timeoutSeconds: number;
  /** Seconds of failing checks until unhealthy, also at the start. A hanging check adds its timeout. */
  readonly unhealthyAfterSeconds: number;
}

export interface ContainerSpec {
  /** Name in the child resource, the label and `make logs SERVICE=`. */
  readonly role: string;
  readonly name: string;
  readonly alias: string;
  readonly image: string;
  readonly command: readonly string[];
  /** Variables without secrets, because `docker inspect` shows them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly ports: readonly PublishedPort[];
  readonly tmpfs: readonly string[];
  readonly health: HealthCheck;
  /** True if a command of its component waits for its health, so that `up` does not. */
  readonly hasReadyCommand: boolean;
  readonly memoryMiB: number;
  /** Maximum measured with the smallest limit, MiB. */
  readonly measuredMiB?: number;
  readonly cpus: number;
  readonly graceSeconds: number;
  /** Texts whose change replaces the container. */
  readonly replaceTriggers: Readonly<Record<string, Text>>;
}

/** Container logs, rotated so that they never fill the disk. */
export const LOGS = { driver: "json-file", options: { "max-size": "10m", "max-file": "3" } };

export interface JobSpec
  extends Pick<
    ContainerSpec,
    "name" | "image" | "command" | "environment" | "user" | "memoryMiB" | "cpus"
  > {
  readonly mounts: readonly VolumeMount[];
  readonly timeoutSeconds: number;
}

export interface ConfigFile {
  readonly path: string;
  readonly content: Text;
}

/** Volume with files; a changed file does not replace the service. */
export interface ConfigVolumeSpec {
  readonly role: string;
  readonly volume: string;
  readonly path: string;
  readonly files: readonly ConfigFile[];
}

/** Plans a volume whose name depends on the paths, so that no service reads a removed file. */
export function configVolume(
  role: string,
  name: string,
  path: string,
  files: readonly ConfigFile[],
): ConfigVolumeSpec {
  const paths = files.map((file) => file.path).sort();
  return { role, volume: `${name}-${digestOf(paths.join("\n")).slice(0, 8)}`, path, files };
}

export interface MountedContainer extends ContainerSpec {
  readonly mounts: readonly VolumeMount[];
}

export interface ServicePlan {
  readonly container: MountedContainer;
  readonly volumes: readonly PlannedVolume[];
  readonly configs: readonly ConfigVolumeSpec[];
}

interface ServiceParts {
  readonly container: ContainerSpec;
  readonly volumes?: readonly PlannedVolume[];
  readonly configs?: readonly ConfigVolumeSpec[];
  /** Mounts of volumes that several containers share. */
  readonly shared?: readonly VolumeMount[];
}

/** Plans a service, which mounts its volumes. */
export const servicePlan = ({
  container,
  volumes = [],
  configs = [],
  shared = [],
}: ServiceParts): ServicePlan => ({
  container: { ...container, mounts: [...mountsOf(volumes, configs), ...shared] },
  volumes,
  configs,
});

/** Mounts data volumes for writing and files for reading. */
export const mountsOf = (
  volumes: readonly PlannedVolume[],
  configs: readonly ConfigVolumeSpec[],
): VolumeMount[] => [
  ...volumes.map(({ volume, path }) => ({ volume, path, readOnly: false })),
  ...configs.map(({ volume, path }) => ({ volume, path, readOnly: true })),
];

/** Variables with which a command on this machine reaches a service. */
export interface ClientAccess {
  readonly environment: Readonly<Record<string, string>>;
  /** Secrets by variable. */
  readonly secrets: Readonly<Record<string, SecretName>>;
}

/** Scrape job of Prometheus; dashboards and rules select it by name. */
export interface ScrapeJob {
  readonly job: string;
  /** Host and port inside the stack's network. */
  readonly target: string;
  /** Further settings of the job. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly account?: Account;
}

/** Account of a database. */
export interface Account {
  readonly user: string;
  readonly password: SecretName;
}

export interface ServiceSpec {
  readonly service?: ServicePlan | null;
  readonly companions?: readonly ServicePlan[];
  readonly address?: Address;
  readonly client?: ClientAccess;
  readonly scrape?: readonly ScrapeJob[];
  /** Base images of the service's built images. */
  readonly baseImages?: readonly string[];
}

export const digestOf = (content: string): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 16);
