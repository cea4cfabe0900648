import * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import type { Label } from "../pipeline/stack/labels.ts";

/**
 * A named volume whose identity is frozen: a changed label or driver would delete it together
 * with its data and make an empty one of the same name.
 */
export const frozenVolume = (
  name: string,
  volume: string,
  labels: readonly Label[],
  parent: pulumi.Resource,
): docker.Volume =>
  new docker.Volume(
    name,
    { name: volume, labels: [...labels] },
    { parent, ignoreChanges: ["name", "labels", "driver", "driverOpts"] },
  );
