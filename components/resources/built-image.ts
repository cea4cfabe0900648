import * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import { ROOT } from "../shared/state.ts";

export interface BuiltImage {
  readonly image: string;
  readonly baseImage: string;
  /** Path from the project's root. */
  readonly dockerfile: string;
  readonly stack: string;
  readonly arguments?: Readonly<Record<string, string>>;
}

/** Builds an image again when its build context changes; a label lets `make clean` find it. */
export const buildImage = (
  name: string,
  { image, baseImage, dockerfile, stack, arguments: more = {} }: BuiltImage,
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
