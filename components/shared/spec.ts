import { createHash } from "node:crypto";
import { renderText, type SecretValues, type Text } from "./secret-text.ts";

/** Plain descriptions of what the container engine shall run. Components turn them into resources. */

/** Where a service answers on this machine. */
export interface Address {
  /** Name for people. */
  readonly title: string;
  readonly url: string;
  /** Page to open first, if not the root. */
  readonly page?: string;
  /** Account to log in with. */
  readonly user?: string;
  /** True if Grafana's dashboards link to it. */
  readonly isTool: boolean;
}

export interface PublishedPort {
  /** Name for messages to people, e.g. `broker.port`. */
  readonly setting: string;
  readonly inside: number;
  readonly host: number;
  readonly protocol: "tcp" | "udp";
  readonly bind: string;
}

/** A named volume: `data` outlives its containers, `config` only carries files. */
export interface VolumeMount {
  readonly volume: string;
  readonly path: string;
  readonly readOnly: boolean;
}

/**
 * What is lost with a data volume, by its role. Irreplaceable: events, tables, metadata and the
 * generator's state. Disposable: what a service collects again, or keeps for convenience.
 */
export const DATA_LOSS = {
  data: "irreplaceable",
  logs: "disposable",
  series: "disposable",
  library: "disposable",
} as const;

export type VolumeRole = keyof typeof DATA_LOSS;

/** A volume with data; its child resource is named `<service>-<role>`. */
export interface DataVolume {
  readonly role: VolumeRole;
  /** Name at the container engine. */
  readonly volume: string;
}

export interface HealthCheck {
  readonly test: readonly string[];
  /** From one check to the next, whole seconds. */
  readonly everySeconds: number;
  readonly timeoutSeconds: number;
  /**
   * Refused for so long, also from its start, a service is unhealthy, seconds; where it hangs instead,
   * the time of each check adds to that.
   */
  readonly patienceSeconds: number;
}

/**
 * A check as the container engine takes it, times in Go's form. Without a start period, in which engines
 * since 25.0 check at an interval of their own that older ones cannot set.
 */
export function healthTimes({ everySeconds, timeoutSeconds, patienceSeconds }: HealthCheck) {
  return {
    interval: goDuration(everySeconds),
    timeout: goDuration(timeoutSeconds),
    retries: Math.ceil(patienceSeconds / everySeconds),
    startPeriod: goDuration(0),
  };
}

export interface ContainerSpec {
  /** Name of this part of the stack: child resource, label and `make logs SERVICE=` alike. */
  readonly role: string;
  /** Name at the container engine. */
  readonly name: string;
  /** Name inside the stack's network. */
  readonly alias: string;
  readonly image: string;
  readonly command: readonly string[];
  /** Never a secret: the engine shows it to everyone who may inspect a container. */
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly ports: readonly PublishedPort[];
  readonly mounts: readonly VolumeMount[];
  readonly tmpfs: readonly string[];
  readonly health: HealthCheck;
  /** True if `up` does not wait for its health, because a command of its component waits for it. */
  readonly readinessDeferred: boolean;
  /** Limit. */
  readonly memoryMiB: number;
  /** The most that it held under the least limit (test/stack/least-memory.ts), if it was measured. */
  readonly measuredMiB?: number;
  readonly cpus: number;
  /** Time to stop on its own before it is killed. */
  readonly graceSeconds: number;
  /** Text that the service reads only at its start, by label. A change replaces the container. */
  readonly startTexts: Readonly<Record<string, Text>>;
}

/**
 * Longest wait for a container's first good health check, seconds. Longer than every service's patience, so
 * that the engine reports an unhealthy service first.
 */
export const HEALTHY_WITHIN_SECONDS = 240;

/** How a container's output is kept: rotated, so that it never fills the disk. */
export const LOGS = { driver: "json-file", options: { "max-size": "10m", "max-file": "3" } };

/** Something that runs to its end before others may start. */
export interface JobSpec
  extends Pick<
    ContainerSpec,
    "name" | "image" | "command" | "environment" | "user" | "mounts" | "memoryMiB" | "cpus"
  > {
  /** Longest run. */
  readonly timeoutSeconds: number;
}

/** One file of a configuration volume. */
export interface ConfigFile {
  readonly path: string;
  readonly content: Text;
}

export const isSecret = ({ content }: ConfigFile): boolean => typeof content !== "string";

/** Contents by path. */
export const fileContents = (
  files: readonly ConfigFile[],
  values: SecretValues,
): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map(({ path, content }) => [path, renderText(content, values)]));

/**
 * Go's own print of a duration: any other form differs on every read (`90s` → `1m30s`).
 * @param seconds whole
 */
export function goDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

/** One decimal, as the engine reads it back: `1` alone would replace the container every time. */
export const cpuText = (cpus: number): string => cpus.toFixed(1);

/** Files for a service, carried by a volume so that a changed file does not replace the service. */
export interface ConfigVolumeSpec {
  /** Child resource: `config`, `users`. */
  readonly role: string;
  readonly volume: string;
  readonly files: readonly ConfigFile[];
}

/**
 * Names the volume by its set of paths: a removed or renamed file means another volume, so that no
 * service keeps reading a stale one. A changed content stays in the volume, for a reload.
 */
export function configVolume(
  role: string,
  name: string,
  files: readonly ConfigFile[],
): ConfigVolumeSpec {
  const paths = files.map(({ path }) => path).sort();
  return { role, volume: `${name}-${digestOf(paths.join("\n")).slice(0, 8)}`, files };
}

/** One service with everything it needs at the container engine. */
export interface ServicePlan {
  readonly container: ContainerSpec;
  readonly configs: readonly ConfigVolumeSpec[];
  readonly dataVolumes: readonly DataVolume[];
}

/** What a specification plans; a service that is one container needs no more. */
export interface ServiceSpec {
  /** Null where an external service is used. */
  readonly service?: ServicePlan | null;
  /** Further containers of the same service. */
  readonly companions?: readonly ServicePlan[];
  readonly address?: Address;
}

/** Short digest of content that a service reads only at its start. */
export const digestOf = (content: string): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 16);
