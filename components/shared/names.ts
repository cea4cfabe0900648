import { createHash } from "node:crypto";
import { UserError } from "../../contract/errors.ts";

export const PROJECT = "event-pipeline";

export const settingCommand = (key: string, value: string): string =>
  `npx pulumi config set --path ${PROJECT}:${key} ${value}`;

export const isLoopback = (host: string): boolean => /^(localhost|127\.[\d.]+)$/.test(host);

/** Label of a volume whose data cannot be made again. */
export const IRREPLACEABLE = { label: "event-pipeline.data", value: "irreplaceable" } as const;

/** Label of a volume that was created with `protectData`, so that another checkout sees it, too. */
export const PROTECTED = { label: "event-pipeline.protected", value: "true" } as const;

const STACK_NAME = /^[a-z][a-z0-9-]{0,23}$/;

export interface StackNames {
  readonly stack: string;
  readonly network: string;
  container(service: string): string;
  volume(purpose: string): string;
}

/**
 * Returns names that no other stack has. @param name may begin with an organisation
 * @param createCommand hint for a bad name
 */
export function stackNames(name: string, createCommand = "pulumi stack init dev"): StackNames {
  const stack = name.slice(name.lastIndexOf("/") + 1);
  if (!STACK_NAME.test(stack)) {
    throw new UserError(
      `Stack name "${stack}": must be 1 to 24 lower-case letters, digits or hyphens and start with a letter`,
      `run ${createCommand} with another name`,
    );
  }
  const prefix = `${PROJECT}-${stack}`;
  return {
    stack,
    network: `${prefix}-network`,
    container: (service) => `${prefix}-${service}`,
    volume: (purpose) => `${prefix}-${purpose}`,
  };
}

export interface Addresses {
  /** Address that published ports listen on. */
  readonly bind: string;
  /** Name or address by which clients reach them. Default: `bind`. */
  readonly host?: string | undefined;
}

/** Returns the name or address by which clients reach the published ports. */
export const hostOf = ({ bind, host }: Addresses): string =>
  host ?? (bind === "127.0.0.1" ? "localhost" : bind);

/** Returns the cluster id of a volume, derived from its name so that both match. */
export const clusterId = (volume: string): string =>
  createHash("sha256").update(volume).digest().subarray(0, 16).toString("base64url");

/** Largest port offset; published ports are below 10,000 without offset. */
export const MAX_OFFSET = 40_000;

/** User and group `nobody`. */
export const NOBODY = "65534:65534";
