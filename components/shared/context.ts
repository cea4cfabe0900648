import type { StackConfig } from "../config.ts";
import type { Overrides } from "../generator/overrides.ts";
import type { SecretName } from "../secrets.ts";
import type { ImageName } from "../services.ts";
import { withDigest } from "./image-lock.ts";
import type { StackNames } from "./names.ts";
import type { PublishedPort } from "./spec.ts";

/** Planners read nothing else, so equal input gives an equal plan. */
export interface PlanContext {
  readonly names: StackNames;
  readonly config: StackConfig;
  readonly configured: ReadonlySet<SecretName>;
  readonly overrides: Overrides;
}

/** Each stack has its own. */
export const ownImage = ({ names }: PlanContext, name: string): string =>
  `event-pipeline/${name}:${names.stack}`;

/** Or the official one. @param images of the service's own configuration */
export const imageOf = <N extends ImageName>(
  { config }: PlanContext,
  images: Readonly<Record<N, string>>,
  name: N,
): string => config.images[name] ?? withDigest(images[name]);

export function publish(
  { config }: PlanContext,
  setting: string,
  inside: number,
  port: number,
  protocol: "tcp" | "udp" = "tcp",
): PublishedPort {
  const { bind, portOffset } = config.network;
  return { setting, inside, host: port + portOffset, protocol, bind };
}

export const commonSpec = {
  command: [],
  environment: {},
  ports: [],
  mounts: [],
  tmpfs: [],
  startTexts: {},
  readinessDeferred: false,
} as const;

export const hostUrl = (context: PlanContext, { host }: PublishedPort): string =>
  `http://${hostName(context)}:${host}`;

export const hostName = ({ config: { network } }: PlanContext): string =>
  network.host ?? (network.bind === "127.0.0.1" ? "localhost" : network.bind);

export const nobody = "65534:65534";
