/** Workarounds for defects of the Docker provider and engine. */
import type { ContainerArgs } from "@pulumi/docker";
import type { ContainerSpec, HealthCheck } from "./spec.ts";

/** Properties whose updates the provider loses, so that a change must replace the container. */
const LOST_UPDATES = ["healthcheck", "tmpfs"] as const satisfies readonly (keyof ContainerArgs)[];

/** Properties whose change the provider replaces by itself; the pull-request report reads them here. */
const REPLACED_BY_PROVIDER = [
  "capabilities",
  "command",
  "cpus",
  "envs",
  "image",
  "labels",
  "logDriver",
  "logOpts",
  "mounts",
  "name",
  "networksAdvanced",
  "ports",
  "securityOpts",
  "uploads",
  "user",
] as const satisfies readonly (keyof ContainerArgs)[];

export const containerOptions = {
  replaceOnChanges: [...LOST_UPDATES, ...REPLACED_BY_PROVIDER].sort(),
  // The new container has the same name, so it cannot exist next to the old one.
  deleteBeforeReplace: true,
};

export const networkOptions = {
  // A changed label would replace the network and all its containers.
  ignoreChanges: ["labels", "driver", "options"],
  deleteBeforeReplace: true,
};

export const volumeOptions = {
  // The provider deletes a volume with its data when a label or the driver changes.
  ignoreChanges: ["labels", "driver", "driverOpts"],
};

export const configVolumeOptions = {
  ...volumeOptions,
  // The name changes, and the service still mounts the previous volume.
  deleteBeforeReplace: false,
};

/** Creates a container without starting it, because the provider ignores exit codes. */
export const DO_NOT_START = { start: false, mustRun: false };

/** Keeps a deleted resource's image, which other stacks and the next start may use. */
export const KEEP_LOCAL_IMAGE = { keepLocally: true };

export const limits = ({ memoryMiB, cpus }: Pick<ContainerSpec, "memoryMiB" | "cpus">) => ({
  memory: memoryMiB,
  // If unset, the engine returns twice the memory, and every run shows a difference.
  memorySwap: memoryMiB,
  cpus: cpuText(cpus),
});

/** Formats cores with one decimal, as the engine returns them; `1` replaces the container each time. */
export const cpuText = (cpus: number): string => cpus.toFixed(1);

export const lifetime = ({ health, hasReadyCommand, graceSeconds }: ContainerSpec) => ({
  restart: "unless-stopped",
  mustRun: true,
  // If unset, the provider kills the process at once.
  destroyGraceSeconds: graceSeconds,
  healthcheck: { tests: [...health.test], ...healthTimes(health) },
  wait: !hasReadyCommand,
  // The default, 60 s, is too short for some services.
  waitTimeout: HEALTHY_WITHIN_SECONDS,
});

/** Time limit for health, seconds; longer than the time until any service counts as unhealthy. */
export const HEALTHY_WITHIN_SECONDS = 240;

/** Converts check times. No start period, because engines since 25.0 change its interval. */
const healthTimes = ({ everySeconds, timeoutSeconds, unhealthyAfterSeconds }: HealthCheck) => ({
  interval: goDuration(everySeconds),
  timeout: goDuration(timeoutSeconds),
  retries: Math.ceil(unhealthyAfterSeconds / everySeconds),
  startPeriod: goDuration(0),
});

/** Formats a duration as the engine returns it: `1m30s`, never `90s`. @param seconds whole */
export function goDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
