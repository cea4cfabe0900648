import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { Label } from "../shared/labels.ts";
import { LABELS } from "../shared/names.ts";
import { variables } from "../shared/shell.ts";
import {
  type ContainerSpec,
  cpuText,
  HEALTHY_WITHIN_SECONDS,
  healthTimes,
  LOGS,
} from "../shared/spec.ts";
import { type Volumes, volumeName } from "./volume.ts";

export interface ServiceContainerArgs {
  readonly spec: ContainerSpec;
  readonly labels: readonly Label[];
  readonly network: pulumi.Input<string>;
  readonly volumes: Volumes;
  readonly startDigests: Readonly<Record<string, pulumi.Input<string>>>;
  /** Id of the image, because another image may take the name. */
  readonly image: pulumi.Output<string>;
  /** A component's own dependencies do not apply to its children. */
  readonly after: readonly pulumi.Resource[];
}

/** The provider would report a change of `healthcheck` and `tmpfs` as done without applying it. */
export const REPLACING = [
  "capabilities",
  "command",
  "cpus",
  "envs",
  "healthcheck",
  "image",
  "labels",
  "logDriver",
  "logOpts",
  "mounts",
  "name",
  "networksAdvanced",
  "ports",
  "securityOpts",
  "tmpfs",
  "uploads",
  "user",
] as const satisfies readonly (keyof docker.ContainerArgs)[];

/** Handles every known defect of the container provider. */
export class ServiceContainer extends pulumi.ComponentResource {
  readonly containerId: pulumi.Output<string>;
  /** For resources that are deleted with the container. */
  readonly container: docker.Container;

  constructor(name: string, args: ServiceContainerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:service:ServiceContainer", name, {}, opts);
    this.container = new docker.Container(name, containerArgs(args), {
      parent: this,
      dependsOn: [...args.after],
      replaceOnChanges: [...REPLACING],
      // A second container of the same fixed name cannot be created first.
      deleteBeforeReplace: true,
    });
    this.containerId = this.container.id;
    this.registerOutputs({ containerId: this.containerId });
  }
}

function containerArgs(args: ServiceContainerArgs): docker.ContainerArgs {
  const { spec, labels, network, image, volumes } = args;
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
    mounts: mountsOf(spec.mounts, volumes),
    ...limits(spec),
    ...tmpfsOf(spec),
    ...hardening,
    ...life(spec),
  };
}

export const mountsOf = (mounts: ContainerSpec["mounts"], volumes: Volumes) =>
  mounts.map(({ volume, path, readOnly }) => ({
    type: "volume",
    source: volumeName(volumes, volume),
    target: path,
    readOnly,
  }));

const ownLabels = ({ spec, startDigests }: ServiceContainerArgs) => [
  { label: LABELS.role, value: spec.role },
  ...Object.entries(startDigests).map(([name, value]) => ({
    label: `event-pipeline.${name}`,
    value,
  })),
];

export const limits = (spec: Pick<ContainerSpec, "memoryMiB" | "cpus">) => ({
  memory: spec.memoryMiB,
  // If unset, it reads back as twice the memory and differs on every run.
  memorySwap: spec.memoryMiB,
  cpus: cpuText(spec.cpus),
});

const tmpfsOf = ({ tmpfs }: ContainerSpec) =>
  tmpfs.length === 0 ? {} : { tmpfs: Object.fromEntries(tmpfs.map((path) => [path, ""])) };

export const hardening = {
  capabilities: { drops: ["ALL"] },
  securityOpts: ["no-new-privileges"],
  logDriver: LOGS.driver,
  logOpts: LOGS.options,
};

const life = ({ health, readinessDeferred, graceSeconds }: ContainerSpec) => ({
  restart: "unless-stopped",
  mustRun: true,
  // Without it a stop kills the process.
  destroyGraceSeconds: graceSeconds,
  healthcheck: { tests: [...health.test], ...healthTimes(health) },
  wait: !readinessDeferred,
  waitTimeout: HEALTHY_WITHIN_SECONDS,
});
