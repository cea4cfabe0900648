import * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import type { Label } from "../shared/labels.ts";
import { DATA_LOSS, type DataVolume } from "../shared/spec.ts";

export type Volumes = ReadonlyMap<string, docker.Volume>;

export interface DataVolumeArgs {
  readonly spec: DataVolume;
  readonly labels: readonly Label[];
  readonly isProtected: boolean;
}

export const dataVolume = (
  service: string,
  { spec, labels, isProtected }: DataVolumeArgs,
  parent: pulumi.Resource,
): docker.Volume =>
  new docker.Volume(
    `${service}-${spec.role}`,
    { name: spec.volume, labels: [...labels] },
    {
      parent,
      // The provider deletes a volume with its data when a label or the driver changes.
      ignoreChanges: ["labels", "driver", "driverOpts"],
      protect: isProtected && DATA_LOSS[spec.role] === "irreplaceable",
      // Name of data volumes before volumes had roles.
      aliases: spec.role === "data" ? [] : [{ name: `${service}-data` }],
    },
  );

/** An output, so that the container depends on the volume. @throws Error if it is not declared */
export function volumeName(volumes: Volumes, volume: string): pulumi.Output<string> {
  const declared = volumes.get(volume);
  if (!declared) throw new Error(`the volume ${volume} is mounted and not declared`);
  return declared.name;
}
