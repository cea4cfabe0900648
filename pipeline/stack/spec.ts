import { createHash } from "node:crypto";

/** Plain descriptions of what the container engine shall run. Components turn them into resources. */

/** What one part of the stack is called: child resource, label and `make logs SERVICE=` alike. */
type Role = "broker" | "broker-ui" | "database" | "generator";

export interface PublishedPort {
  /** Name for messages to people, e.g. `broker.port`. */
  readonly setting: string;
  readonly inside: number;
  readonly host: number;
  readonly protocol: "tcp" | "udp";
  readonly bind: string;
}

/** A named volume: `data` outlives its containers, `config` only carries files. */
interface VolumeMount {
  readonly volume: string;
  readonly path: string;
  readonly readOnly: boolean;
}

export interface HealthCheck {
  readonly test: readonly string[];
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly retries: number;
  /** Failures in this time after the start do not count. */
  readonly startSeconds: number;
}

export interface ContainerSpec {
  readonly role: Role;
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
  readonly memoryMiB: number;
  readonly cpus: number;
  /** Time to stop on its own before it is killed. */
  readonly graceSeconds: number;
  /** Content that the service reads only at its start: name → digest. A change replaces it. */
  readonly startDigests: Readonly<Record<string, string>>;
}

/** One file of a configuration volume; `secret` keeps its content out of state and previews. */
export interface ConfigFile {
  readonly path: string;
  readonly content: string;
  readonly secret: boolean;
}

/** Go's own print of a duration: any other form differs on every read (`90s` → `1m30s`). */
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

/** One service with everything it needs at the container engine. */
export interface ServicePlan {
  readonly container: ContainerSpec;
  readonly configs: readonly ConfigVolumeSpec[];
  /** Volumes with data that nobody can make again. */
  readonly dataVolumes: readonly string[];
}

/** Short digest of content that a service reads only at its start. */
export const digestOf = (content: string): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 16);
