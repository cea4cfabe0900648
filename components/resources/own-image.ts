import * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import { ROOT } from "../shared/state.ts";

export interface OwnImage {
  readonly image: string;
  readonly baseImage: string;
  /** Path from the project's root. */
  readonly dockerfile: string;
  readonly stack: string;
  readonly arguments?: Readonly<Record<string, string>>;
}

/** Rebuilt when its build context changes; labelled, so that a clean-up finds it. */
export const ownImage = (
  name: string,
  { image, baseImage, dockerfile, stack, arguments: more = {} }: OwnImage,
  parent: pulumi.Resource,
): docker.Image =>
  new docker.Image(
    name,
    {
      imageName: image,
      skipPush: true,
      build: {
        context: ROOT,
        dockerfile: `${ROOT}/${dockerfile}`,
        args: { BASE: baseImage, STACK: stack, ...more },
        platform: `linux/${process.arch === "x64" ? "amd64" : process.arch}`,
        builderVersion: docker.BuilderVersion.BuilderBuildKit,
      },
    },
    { parent },
  );
