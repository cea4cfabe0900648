import { createHash } from "node:crypto";
import { UserError } from "../../contract/errors.ts";

export const PROJECT = "event-pipeline";

export const settingCommand = (key: string, value: string): string =>
  `pulumi config set --path ${PROJECT}:${key} ${value}`;

export const isLoopback = (host: string): boolean => /^(localhost|127\.[\d.]+)$/.test(host);

/** Clean-up and `ps` go by them. */
export const LABELS = {
  project: "event-pipeline.stack",
  role: "event-pipeline.role",
} as const;

const STACK_NAME = /^[a-z][a-z0-9-]{0,23}$/;

export interface StackNames {
  readonly stack: string;
  readonly network: string;
  container(alias: string): string;
  volume(purpose: string): string;
}

/** Stacks share none. @param createCommand hint for a bad name */
export function stackNames(stack: string, createCommand = "pulumi stack init dev"): StackNames {
  if (!STACK_NAME.test(stack)) {
    throw new UserError(
      `Stack name "${stack}": must be 1 to 24 lower-case letters, digits or hyphens and start with a letter`,
      `choose another name: ${createCommand}`,
    );
  }
  const prefix = `${PROJECT}-${stack}`;
  return {
    stack,
    network: `${prefix}-network`,
    container: (alias) => `${prefix}-${alias}`,
    volume: (purpose) => `${prefix}-${purpose}`,
  };
}

/** Derived from the volume that is formatted with it, so both always match. */
export const clusterId = (volume: string): string =>
  createHash("sha256").update(volume).digest().subarray(0, 16).toString("base64url");

/** Published ports are below 10,000. */
export const MOST_OFFSET = 40_000;
