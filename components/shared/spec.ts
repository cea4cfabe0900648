import { createHash } from "node:crypto";
import { renderText, type SecretValues, type Text } from "./secret-text.ts";

export interface Address {
  readonly title: string;
  readonly url: string;
  /** Page to open first, if not the root. */
  readonly page?: string;
  readonly user?: string;
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

/** `data` outlives its containers, `config` only carries files. */
export interface VolumeMount {
  readonly volume: string;
  readonly path: string;
  readonly readOnly: boolean;
}

/**
 * Loss of a data volume, by its role. Irreplaceable: events, tables, metadata and the
 * generator's state. Disposable: data that a service collects again, or keeps for convenience.
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
  readonly volume: string;
}

export interface HealthCheck {
  readonly test: readonly string[];
  /** Whole seconds. */
  readonly everySeconds: number;
  readonly timeoutSeconds: number;
  /** Seconds of failing checks until unhealthy, from the start too. A hanging check adds its timeout. */
  readonly patienceSeconds: number;
}

/** No start period, in which engines since 25.0 check at another interval. */
export function healthTimes({ everySeconds, timeoutSeconds, patienceSeconds }: HealthCheck) {
  return {
    interval: goDuration(everySeconds),
    timeout: goDuration(timeoutSeconds),
    retries: Math.ceil(patienceSeconds / everySeconds),
    startPeriod: goDuration(0),
  };
}

export interface ContainerSpec {
  /** Name of this part: child resource, label and `make logs SERVICE=`. */
  readonly role: string;
  readonly name: string;
  readonly alias: string;
  readonly image: string;
  readonly command: readonly string[];
  /** Never a secret: everyone who may inspect a container can read it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly ports: readonly PublishedPort[];
  readonly mounts: readonly VolumeMount[];
  readonly tmpfs: readonly string[];
  readonly health: HealthCheck;
  /** A command of its component waits instead. */
  readonly readinessDeferred: boolean;
  readonly memoryMiB: number;
  /** Maximum measured under the smallest limit (test/stack/least-memory.ts). */
  readonly measuredMiB?: number;
  readonly cpus: number;
  readonly graceSeconds: number;
  /** A change replaces the container. */
  readonly startTexts: Readonly<Record<string, Text>>;
}

/** Longer than every service's patience, so that the engine reports an unhealthy service first. */
export const HEALTHY_WITHIN_SECONDS = 240;

/** Rotated, so that logs never fill the disk. */
export const LOGS = { driver: "json-file", options: { "max-size": "10m", "max-file": "3" } };

export interface JobSpec
  extends Pick<
    ContainerSpec,
    "name" | "image" | "command" | "environment" | "user" | "mounts" | "memoryMiB" | "cpus"
  > {
  readonly timeoutSeconds: number;
}

export interface ConfigFile {
  readonly path: string;
  readonly content: Text;
}

export const isSecret = ({ content }: ConfigFile): boolean => typeof content !== "string";

export const fileContents = (
  files: readonly ConfigFile[],
  values: SecretValues,
): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map(({ path, content }) => [path, renderText(content, values)]));

/** Any other form differs on every read (`90s` → `1m30s`). @param seconds whole */
export function goDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

/** One decimal, as the engine reads it back: `1` would replace the container every time. */
export const cpuText = (cpus: number): string => cpus.toFixed(1);

/** A changed file does not replace the service. */
export interface ConfigVolumeSpec {
  readonly role: string;
  readonly volume: string;
  readonly files: readonly ConfigFile[];
}

/** Named by its set of paths, so that no service reads a removed or renamed file. */
export function configVolume(
  role: string,
  name: string,
  files: readonly ConfigFile[],
): ConfigVolumeSpec {
  const paths = files.map(({ path }) => path).sort();
  return { role, volume: `${name}-${digestOf(paths.join("\n")).slice(0, 8)}`, files };
}

export interface ServicePlan {
  readonly container: ContainerSpec;
  readonly configs: readonly ConfigVolumeSpec[];
  readonly dataVolumes: readonly DataVolume[];
}

export interface ServiceSpec {
  readonly service?: ServicePlan | null;
  readonly companions?: readonly ServicePlan[];
  readonly address?: Address;
}

export const digestOf = (content: string): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 16);
