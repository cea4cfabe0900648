import * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import { volumeOptions } from "../shared/docker-workarounds.ts";
import type { Label } from "../shared/labels.ts";
import type { PlannedVolume } from "../shared/spec.ts";

export interface DataVolumeArgs {
  readonly spec: PlannedVolume;
  readonly labels: readonly Label[];
  readonly protectData: boolean;
}

export const dataVolume = (
  name: string,
  { spec, labels, protectData }: DataVolumeArgs,
  parent: pulumi.Resource,
): docker.Volume =>
  new docker.Volume(
    name,
    { name: spec.volume, labels: [...labels] },
    { parent, ...volumeOptions, protect: protectData && spec.loss === "irreplaceable" },
  );

/** Mount of a volume; its source is an output, so that the container depends on the volume. */
export interface Mount {
  readonly type: "volume";
  readonly source: pulumi.Output<string>;
  readonly target: string;
  readonly readOnly: boolean;
}

export const mountOf = (volume: docker.Volume, target: string, readOnly = false): Mount => ({
  type: "volume",
  source: volume.name,
  target,
  readOnly,
});
