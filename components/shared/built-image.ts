import * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import { enginePlatform } from "./engine.ts";
import type { Network } from "./network.ts";

export interface BuiltImageArgs {
  readonly network: Network;
  /** Path from the project's root. */
  readonly dockerfile: string;
  readonly base: string;
  /** Further arguments of the Dockerfile. Default: none. */
  readonly arguments?: Readonly<Record<string, string>>;
}

/**
 * Builds an image for the engine's platform, again when its build context changes. Its name differs
 * in each stack.
 * @returns the id of the image
 */
export const builtImage = (
  name: string,
  { network: { names }, dockerfile, base, arguments: more = {} }: BuiltImageArgs,
  parent: pulumi.Resource,
): pulumi.Output<string> => {
  const platform = enginePlatform();
  return new docker.Image(
    `${name}-image`,
    {
      imageName: `event-pipeline/${name}:${names.stack}`,
      skipPush: true,
      build: {
        context: ".",
        dockerfile,
        args: { BASE: base, ...more },
        // Without it, the provider builds for the client's processor, and says so in each run.
        ...(platform ? { platform } : {}),
        builderVersion: docker.BuilderVersion.BuilderBuildKit,
      },
    },
    { parent },
  ).repoDigest;
};
