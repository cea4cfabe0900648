import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { LABELS } from "../../contract/labels.ts";
import {
  containerOptions,
  KEEP_LOCAL_IMAGE,
  type Limits,
  lifetime,
  limits,
  READ_BACK,
  volumeOptions,
} from "./docker-traps.ts";
import { type HealthCheck, waitUntilHealthy } from "./health.ts";
import { IRREPLACEABLE } from "./names.ts";
import type { Network, Port } from "./network.ts";
import { type Environment, type Files, joined, type Use } from "./use.ts";

/** Folder of the files with secrets; variables hold their paths. */
export const SECRET_FILES = "/run/event-pipeline";

export interface DataVolume {
  /** Name after the service's, e.g. `data`. */
  readonly name: string;
  readonly path: string;
  /** True for data that a service collects again, or keeps for convenience. Default: false. */
  readonly isDisposable?: boolean;
}

/** What services and jobs have in common. */
export interface ContainerArgs extends Limits {
  readonly network: Network;
  /** Name of an image to pull, or the id of a built one. */
  readonly image: string | pulumi.Output<string>;
  /** Default: the image's. */
  readonly command?: pulumi.Input<pulumi.Input<string>[]>;
  /** Default: the image's. */
  readonly environment?: Environment;
  /** User and group; never root. */
  readonly user: string;
  /** Mounts of volumes that several containers share. Default: none. */
  readonly mounts?: readonly Mount[];
  /** Default: none. */
  readonly files?: Files;
  /** What it takes from other services, and waits for before the start. Default: nothing. */
  readonly uses?: readonly (Use | undefined)[];
}

export interface ServiceArgs extends ContainerArgs {
  /** Ports that this machine reaches. Default: none. */
  readonly ports?: readonly Port[];
  /** Volumes of this service. Default: none. */
  readonly volumes?: readonly DataVolume[];
  /** Folders in memory, with options of the mount. Default: none. */
  readonly tmpfs?: Readonly<Record<string, string>>;
  readonly health: HealthCheck;
  /** Time to end after SIGTERM, seconds. */
  readonly graceSeconds: number;
}

/** One container with its image, volumes and files; the only way to run a service. */
export class Service extends pulumi.ComponentResource {
  /** Name of the container. */
  readonly container: string;
  readonly containerId: pulumi.Output<string>;
  readonly volumes: readonly docker.Volume[];
  /** The healthy container. */
  readonly use: Use;

  constructor(name: string, args: ServiceArgs, opts: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Service", name, {}, opts);
    const { network, image, volumes = [], mounts = [], ports = [], tmpfs } = args;
    this.container = network.names.container(name);
    const owned = volumes.map((one) => ({
      ...one,
      volume: volumeOf(name, one, network, { parent: this }),
    }));
    this.volumes = owned.map(({ volume }) => volume);
    const containerArgs = {
      ...args,
      image: typeof image === "string" ? pulledImage(name, image, this) : image,
      mounts: [...owned.map(({ volume, path }) => mountOf(volume, path)), ...mounts],
    };
    const container = new docker.Container(
      name,
      {
        ...containerInputs(name, containerArgs),
        labels: [{ label: LABELS.service, value: name }],
        ports: ports.map(({ internal, external, protocol, bind }) => ({
          internal,
          external,
          protocol,
          ip: bind,
        })),
        ...(tmpfs ? { tmpfs } : {}),
        ...lifetime(args.health, args.graceSeconds),
      },
      { parent: this, ...containerOptions, dependsOn: [...joined(args.uses ?? []).ready] },
    );
    this.containerId = container.id;
    // In a preview, the id of a replaced container is not known.
    const ready = pulumi.runtime.isDryRun()
      ? container
      : container.id.apply(() => waitUntilHealthy(this.container)).apply(() => container);
    this.use = { ready: [ready] };
    this.registerOutputs({ containerId: this.containerId });
  }
}

/** Inputs of a hardened container, found in the network by the name of its resource. */
export const containerInputs = (name: string, args: ContainerArgs) => {
  const used = joined(args.uses ?? []);
  const files = Object.entries({ ...used.files, ...args.files });
  return {
    name: args.network.names.container(name),
    image: args.image,
    ...(args.command ? { command: args.command } : {}),
    user: args.user,
    envs: Object.entries({ ...used.environment, ...args.environment }).map(
      ([variable, value]) => pulumi.interpolate`${variable}=${value}`,
    ),
    networksAdvanced: [{ name: args.network.id, aliases: [name], ...READ_BACK.network }],
    mounts: [...(args.mounts ?? [])],
    uploads: files.map(([file, content]) => ({ file, content })),
    // The provider copies files into `/`, which the engine refuses for a read-only root.
    ...(files.length === 0 ? { readOnly: true } : {}),
    ...limits(args),
    capabilities: { drops: ["ALL"] },
    securityOpts: ["no-new-privileges"],
    // Rotated logs never fill the disk.
    logDriver: "json-file",
    logOpts: { "max-size": "10m", "max-file": "3" },
  };
};

/** Creates a volume of a service. */
export const volumeOf = (
  service: string,
  { name, isDisposable = false }: Omit<DataVolume, "path">,
  network: Network,
  opts: pulumi.CustomResourceOptions,
): docker.Volume =>
  new docker.Volume(
    `${service}-${name}`,
    {
      name: network.names.volume(`${service}-${name}`),
      labels: isDisposable ? [] : [IRREPLACEABLE],
    },
    { ...opts, ...volumeOptions },
  );

/** Mount of a volume; its source is an output, so that the container depends on the volume. */
export interface Mount {
  readonly type: "volume";
  readonly source: pulumi.Output<string>;
  readonly target: string;
  readonly readOnly: boolean;
}

export const mountOf = (volume: docker.Volume, target: string): Mount => ({
  type: "volume",
  source: volume.name,
  target,
  ...READ_BACK.mount,
});

const pulledImage = (name: string, image: string, parent: pulumi.Resource) =>
  new docker.RemoteImage(`${name}-image`, { name: image, ...KEEP_LOCAL_IMAGE }, { parent }).imageId;
