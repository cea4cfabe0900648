import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { LABELS } from "../pipeline/stack/names.ts";
import { type ContainerSpec, cpuText, goDuration } from "../pipeline/stack/spec.ts";
import type { Label } from "./labels.ts";

export interface ServiceContainerArgs {
  readonly spec: ContainerSpec;
  readonly labels: readonly Label[];
  readonly network: pulumi.Input<string>;
  /** Id of the image: a name alone would hide that another image has taken it. */
  readonly image: pulumi.Output<string>;
  /** What must stand first: a component's own dependencies do not reach its children. */
  readonly after: readonly pulumi.Resource[];
}

/** Longest time from a container's start to its first good health check, seconds. */
const WAIT_SECONDS = 180;

/**
 * One running service. Every known trap of the container provider is handled here and nowhere
 * else: forms that read back differently, changes it does not apply, stops without grace.
 */
export class ServiceContainer extends pulumi.ComponentResource {
  readonly containerId: pulumi.Output<string>;

  constructor(name: string, args: ServiceContainerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:service:ServiceContainer", name, {}, opts);
    const container = new docker.Container(name, containerArgs(args), {
      parent: this,
      dependsOn: [...args.after],
      // The provider reports a change of these as done and keeps the old ones.
      replaceOnChanges: ["healthcheck", "tmpfs", "init"],
      // Its name is fixed: a second one of that name cannot be made first.
      deleteBeforeReplace: true,
    });
    this.containerId = container.id;
    this.registerOutputs({ containerId: this.containerId });
  }
}

function containerArgs(args: ServiceContainerArgs): docker.ContainerArgs {
  const { spec, labels, network, image } = args;
  return {
    name: spec.name,
    image,
    user: spec.user,
    ...(spec.command.length > 0 ? { command: [...spec.command] } : {}),
    envs: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
    labels: [...labels, ...ownLabels(spec)],
    networksAdvanced: [{ name: network, aliases: [spec.alias] }],
    ports: spec.ports.map(({ inside, host, protocol, bind }) => ({
      internal: inside,
      external: host,
      protocol,
      ip: bind,
    })),
    mounts: spec.mounts.map(({ volume, path, readOnly }) => ({
      type: "volume",
      source: volume,
      target: path,
      readOnly,
    })),
    ...limits(spec),
    ...hardening,
    ...life(spec),
  };
}

const ownLabels = (spec: ContainerSpec): Label[] =>
  Object.entries({
    [LABELS.role]: spec.role,
    ...Object.fromEntries(
      Object.entries(spec.startDigests).map(([name, digest]) => [`event-pipeline.${name}`, digest]),
    ),
  }).map(([label, value]) => ({ label, value }));

const limits = (spec: ContainerSpec) => ({
  memory: spec.memoryMiB,
  // Unset, it reads back as twice the memory and differs on every run.
  memorySwap: spec.memoryMiB,
  cpus: cpuText(spec.cpus),
  ...(spec.tmpfs.length === 0
    ? {}
    : { tmpfs: Object.fromEntries(spec.tmpfs.map((path) => [path, ""])) }),
});

const hardening = {
  capabilities: { drops: ["ALL"] },
  securityOpts: ["no-new-privileges"],
  logDriver: "json-file",
  logOpts: { "max-size": "10m", "max-file": "3" },
};

const life = ({ health, graceSeconds }: ContainerSpec) => ({
  restart: "unless-stopped",
  mustRun: true,
  // Without it a stop is a kill.
  destroyGraceSeconds: graceSeconds,
  healthcheck: {
    tests: [...health.test],
    interval: goDuration(health.intervalSeconds),
    timeout: goDuration(health.timeoutSeconds),
    retries: health.retries,
    startPeriod: goDuration(health.startSeconds),
  },
  wait: true,
  waitTimeout: WAIT_SECONDS,
});
