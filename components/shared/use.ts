import type * as pulumi from "@pulumi/pulumi";

/**
 * Resource that others wait for, known once it is ready. Order by such resources, and not by values
 * of them, keeps their users when Pulumi deletes a resource to replace it.
 */
export type Ready = pulumi.Input<pulumi.Resource>;

/** Variables without secrets, because `docker inspect` shows them. */
export type Environment = Readonly<Record<string, pulumi.Input<string>>>;

/** Content by path in the container. A change replaces the container; secrets are allowed. */
export type Files = Readonly<Record<string, pulumi.Input<string>>>;

/**
 * What a container, or a command on this machine, takes from a service. The one value has the
 * address and the moment when it answers, so that nobody takes an address without waiting.
 */
export interface Use {
  /** Variables; those of commands may be secret outputs. Default: none. */
  readonly environment?: Environment;
  /** Files of a container, with the secrets that variables name. Default: none. */
  readonly files?: Files;
  readonly ready: readonly Ready[];
}

/** Takes a service that may answer later. */
export const withoutWaiting = (use: Use): Use => ({ ...use, ready: [] });

/** Joins uses; undefined ones are of services that are not deployed. */
export const joined = (uses: readonly (Use | undefined)[]): Required<Use> => ({
  environment: Object.assign({}, ...uses.map((use) => use?.environment)),
  files: Object.assign({}, ...uses.map((use) => use?.files)),
  ready: uses.flatMap((use) => use?.ready ?? []),
});
