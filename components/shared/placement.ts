import type { NetworkConfig } from "../network/config.ts";
import type { SecretName } from "../secrets.ts";
import { withDigest } from "./image-lock.ts";
import type { StackNames } from "./names.ts";
import type { DataVolume } from "./service-config.ts";
import type { Answer, PlannedVolume, PublishedPort } from "./spec.ts";

/** Values that all services of a stack share. */
export interface Placement {
  readonly names: StackNames;
  readonly network: NetworkConfig;
  /** Images that replace the official ones, by setting. */
  readonly images: Readonly<Record<string, string | undefined>>;
  /** Secrets that the configuration sets. */
  readonly configured: ReadonlySet<SecretName>;
}

/** Returns the name of a built image, different in each stack. */
export const builtImageName = ({ names }: Placement, name: string): string =>
  `event-pipeline/${name}:${names.stack}`;

/** Returns the configured image or the official one. @param images of the service's configuration */
export const imageOf = <N extends string>(
  at: Placement,
  images: Readonly<Record<N, string>>,
  name: N,
): string => at.images[name] ?? withDigest(images[name]);

export const plannedVolume = ({ names }: Placement, declared: DataVolume): PlannedVolume => ({
  ...declared,
  volume: names.volume(declared.name),
});

export function publish(
  { network: { bind, portOffset } }: Placement,
  setting: string,
  inside: number,
  port: number,
  answer: Answer | null,
): PublishedPort {
  const protocol = answer === null ? "udp" : "tcp";
  return { setting, inside, host: port + portOffset, protocol, bind, answer };
}

export const commonSpec = {
  command: [],
  environment: {},
  ports: [],
  tmpfs: [],
  replaceTriggers: {},
  hasReadyCommand: false,
} as const;

export const hostUrl = (at: Placement, { host }: PublishedPort): string =>
  `http://${hostName(at)}:${host}`;

export const hostName = ({ network }: Pick<Placement, "network">): string =>
  network.host ?? (network.bind === "127.0.0.1" ? "localhost" : network.bind);

export const nobody = "65534:65534";
