import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { containerOptions, lifetime, limits } from "../shared/docker-workarounds.ts";
import type { Label } from "../shared/labels.ts";
import { LABELS } from "../shared/names.ts";
import { variables } from "../shared/shell.ts";
import { type ContainerSpec, LOGS } from "../shared/spec.ts";
import type { Mount } from "./volume.ts";

export interface ServiceContainerArgs {
  readonly spec: ContainerSpec;
  readonly labels: readonly Label[];
  readonly network: pulumi.Input<string>;
  readonly mounts: readonly Mount[];
  readonly triggerDigests: Readonly<Record<string, pulumi.Input<string>>>;
  /** Id of the image; a name may move to another image. */
  readonly image: pulumi.Input<string>;
  /** Dependencies of the container; those of its component do not apply to children. */
  readonly dependsOn: readonly pulumi.Resource[];
}

export class ServiceContainer extends pulumi.ComponentResource {
  readonly containerId: pulumi.Output<string>;

  constructor(name: string, args: ServiceContainerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:service:ServiceContainer", name, {}, opts);
    const container = new docker.Container(name, containerArgs(args), {
      parent: this,
      dependsOn: [...args.dependsOn],
      ...containerOptions,
    });
    this.containerId = container.id;
    this.registerOutputs({ containerId: this.containerId });
  }
}

function containerArgs(args: ServiceContainerArgs): docker.ContainerArgs {
  const { spec, labels, network, image, mounts } = args;
  return {
    name: spec.name,
    image,
    user: spec.user,
    ...(spec.command.length > 0 ? { command: [...spec.command] } : {}),
    envs: variables(spec.environment),
    labels: [...labels, ...ownLabels(args)],
    networksAdvanced: [{ name: network, aliases: [spec.alias] }],
    ports: spec.ports.map(({ inside, host, protocol, bind }) => ({
      internal: inside,
      external: host,
      protocol,
      ip: bind,
    })),
    mounts: [...mounts],
    ...limits(spec),
    ...tmpfsOf(spec),
    ...hardening,
    ...lifetime(spec),
  };
}

const ownLabels = ({ spec, triggerDigests }: ServiceContainerArgs) => [
  { label: LABELS.role, value: spec.role },
  ...Object.entries(triggerDigests).map(([name, value]) => ({
    label: `event-pipeline.${name}`,
    value,
  })),
];

const tmpfsOf = ({ tmpfs }: ContainerSpec) =>
  tmpfs.length === 0 ? {} : { tmpfs: Object.fromEntries(tmpfs.map((path) => [path, ""])) };

export const hardening = {
  capabilities: { drops: ["ALL"] },
  securityOpts: ["no-new-privileges"],
  logDriver: LOGS.driver,
  logOpts: LOGS.options,
};
