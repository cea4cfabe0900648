/** Traps of the Docker provider and engine, in one place. */
import type { ContainerArgs } from "@pulumi/docker";
import type { HealthCheck } from "./health.ts";

/**
 * Properties whose updates the provider loses, so that a change must replace the container.
 * https://github.com/kreuzwerker/terraform-provider-docker/issues/118
 */
const LOST_UPDATES = ["healthcheck", "tmpfs"] satisfies (keyof ContainerArgs)[];

export const containerOptions = {
  replaceOnChanges: LOST_UPDATES,
  // The new container has the same name, so it cannot exist next to the old one.
  deleteBeforeReplace: true,
};

export const networkOptions = {
  // A changed label would replace the network and all its containers.
  ignoreChanges: ["labels", "driver", "options"],
  deleteBeforeReplace: true,
};

export const volumeOptions = {
  // A new volume has the same name; what uses the old one is deleted first.
  deleteBeforeReplace: true,
  // The provider deletes a volume with its data when a label or the driver changes.
  ignoreChanges: ["labels", "driver", "driverOpts"],
};

/**
 * Creates a container without starting it, because the provider ignores exit codes.
 * https://github.com/pulumi/pulumi-docker/issues/569
 */
export const DO_NOT_START = { start: false, mustRun: false };

/** Keeps a deleted resource's image, which other stacks and the next start may use. */
export const KEEP_LOCAL_IMAGE = { keepLocally: true };

/** Defaults that the provider reads back, so that a comparison with the engine would show them as changes. */
export const READ_BACK = { network: { gwPriority: 0 }, mount: { readOnly: false } };

export interface Limits {
  readonly memoryMiB: number;
  readonly cpus: number;
}

export const limits = ({ memoryMiB, cpus }: Limits) => ({
  memory: memoryMiB,
  // If unset, the engine returns twice the memory, and every run shows a difference.
  memorySwap: memoryMiB,
  // As the engine returns them; `1` instead of `1.0` replaces the container each time.
  cpus: cpus.toFixed(1),
});

/** Container that the engine restarts. @param graceSeconds time to end after SIGTERM */
export const lifetime = (health: HealthCheck, graceSeconds: number) => ({
  restart: "unless-stopped",
  mustRun: true,
  // If unset, the provider kills the process at once.
  destroyGraceSeconds: graceSeconds,
  healthcheck: { tests: [...health.test], ...healthTimes(health) },
});

/**
 * Converts check times, below a minute as the engine returns them. No start period, because engines
 * since 25.0 change its interval.
 */
const healthTimes = ({ everySeconds, timeoutSeconds, unhealthyAfterSeconds }: HealthCheck) => ({
  interval: `${everySeconds}s`,
  timeout: `${timeoutSeconds}s`,
  retries: Math.ceil(unhealthyAfterSeconds / everySeconds),
  startPeriod: "0s",
});
