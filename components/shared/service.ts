import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import {
  containerOptions,
  KEEP_LOCAL_IMAGE,
  type Limits,
  lifetime,
  limits,
  volumeOptions,
} from "./docker-traps.ts";
import { type HealthCheck, waitUntilHealthy } from "./health.ts";
import { IRREPLACEABLE, LABELS } from "./names.ts";
import type { Network, Port } from "./network.ts";

/**
 * Resource that others wait for, known once it is ready. Order by such resources, and not by values
 * of them, keeps their users when Pulumi deletes a resource to replace it.
 */
export type Ready = pulumi.Input<pulumi.Resource>;

/** Variables without secrets, because `docker inspect` shows them. */
export type Environment = Readonly<Record<string, pulumi.Input<string>>>;

/** Content by path in the container. A change replaces the container; secrets are allowed. */
export type Files = Readonly<Record<string, pulumi.Input<string>>>;

/** How a container reaches a service: variables, and files with the secrets that they name. */
export interface InsideClient {
  readonly environment: Environment;
  readonly files: Files;
}

/** Folder of the files with secrets; variables hold their paths. */
export const SECRET_FILES = "/run/event-pipeline";

export interface DataVolume {
  /** Name after the service's, e.g. `data`. */
  readonly name: string;
  readonly path: string;
  /** True for data that a service collects again, or keeps for convenience. Default: false. */
  readonly isDisposable?: boolean;
}

/** What every component with a service takes. */
export interface CommonArgs extends Limits {
  readonly network: Network;
  /** Image to run or to build on. */
  readonly image: string;
}

export interface ServiceArgs extends Omit<CommonArgs, "image"> {
  /** Name of an image to pull, or the id of a built one. */
  readonly image: string | pulumi.Output<string>;
  /** Default: the image's. */
  readonly command?: pulumi.Input<pulumi.Input<string>[]>;
  /** Default: the image's. */
  readonly environment?: Environment;
  /** User and group; never root. */
  readonly user: string;
  /** Ports that this machine reaches. Default: none. */
  readonly ports?: readonly Port[];
  /** Volumes of this service. Default: none. */
  readonly volumes?: readonly DataVolume[];
  /** Mounts of volumes that several containers share. Default: none. */
  readonly mounts?: readonly Mount[];
  /** Default: none. */
  readonly files?: Files;
  /** Folders in memory. Default: none. */
  readonly tmpfs?: readonly string[];
  readonly health: HealthCheck;
  /** Time to end after SIGTERM, seconds. */
  readonly graceSeconds: number;
  /** What has to be ready before the service starts. Default: nothing. */
  readonly after?: readonly Ready[];
}

/** One container with its image, volumes and files; the only way to run a service. */
export class Service extends pulumi.ComponentResource {
  /** Name of the container. */
  readonly container: string;
  readonly containerId: pulumi.Output<string>;
  readonly volumes: readonly docker.Volume[];
  readonly ready: Ready;

  constructor(name: string, args: ServiceArgs, opts: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Service", name, {}, opts);
    this.container = args.network.names.container(name);
    const volumes = (args.volumes ?? []).map((one) => ({
      ...one,
      ...this.#volume(name, one, args),
    }));
    this.volumes = volumes.map(({ volume }) => volume);
    const image = typeof args.image === "string" ? pulledImage(name, args.image, this) : args.image;
    const mounts = [...volumes.map(({ mount }) => mount), ...(args.mounts ?? [])];
    const container = new docker.Container(
      name,
      { name: this.container, image, ...containerArgs(name, args, mounts) },
      { parent: this, ...containerOptions, dependsOn: [...(args.after ?? [])] },
    );
    this.containerId = container.id;
    // In a preview, the id of a replaced container is not known.
    this.ready = pulumi.runtime.isDryRun()
      ? container
      : container.id.apply(() => waitUntilHealthy(this.container)).apply(() => container);
    this.registerOutputs({ containerId: this.containerId });
  }

  #volume(
    name: string,
    { name: role, path, isDisposable = false }: DataVolume,
    { network }: ServiceArgs,
  ) {
    const volume = new docker.Volume(
      `${name}-${role}`,
      {
        name: network.names.volume(`${name}-${role}`),
        labels: isDisposable ? [] : [IRREPLACEABLE],
      },
      { parent: this, ...volumeOptions },
    );
    return { volume, mount: mountOf(volume, path) };
  }
}

const containerArgs = (name: string, args: ServiceArgs, mounts: Mount[]) => ({
  ...(args.command ? { command: args.command } : {}),
  user: args.user,
  envs: envsOf(args.environment),
  labels: [{ label: LABELS.service, value: name }],
  networksAdvanced: [{ name: args.network.id, aliases: [name] }],
  ports: (args.ports ?? []).map(({ inside, outside, protocol, bind }) => ({
    internal: inside,
    external: outside,
    protocol,
    ip: bind,
  })),
  mounts,
  uploads: uploadsOf(args.files),
  ...(args.tmpfs ? { tmpfs: Object.fromEntries(args.tmpfs.map((path) => [path, ""])) } : {}),
  ...limits(args),
  ...hardening,
  ...lifetime(args.health, args.graceSeconds),
});

export const envsOf = (environment: Environment = {}): pulumi.Output<string>[] =>
  Object.entries(environment).map(([name, value]) => pulumi.interpolate`${name}=${value}`);

export const uploadsOf = (files: Files = {}) =>
  Object.entries(files).map(([file, content]) => ({ file, content }));

/** Container logs are rotated so that they never fill the disk. */
export const hardening = {
  capabilities: { drops: ["ALL"] },
  securityOpts: ["no-new-privileges"],
  logDriver: "json-file",
  logOpts: { "max-size": "10m", "max-file": "3" },
};

/** Mount of a volume; its source is an output, so that the container depends on the volume. */
export interface Mount {
  readonly type: "volume";
  readonly source: pulumi.Output<string>;
  readonly target: string;
}

export const mountOf = (volume: docker.Volume, target: string): Mount => ({
  type: "volume",
  source: volume.name,
  target,
});

const pulledImage = (name: string, image: string, parent: pulumi.Resource) =>
  new docker.RemoteImage(`${name}-image`, { name: image, ...KEEP_LOCAL_IMAGE }, { parent }).imageId;
