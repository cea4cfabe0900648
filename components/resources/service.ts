import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { SecretName } from "../secrets.ts";
import { KEEP_LOCAL_IMAGE } from "../shared/docker-workarounds.ts";
import type { Label } from "../shared/labels.ts";
import { kebabCase } from "../shared/names.ts";
import { digestOf, type ServicePlan } from "../shared/spec.ts";
import { ConfigVolume } from "./config-volume.ts";
import { type ConfiguredSecrets, ownSecret, type SecretOutputs, textWith } from "./secret.ts";
import { ServiceContainer } from "./service-container.ts";
import { dataVolume, type Mount, mountOf } from "./volume.ts";

/** Values that all components of a stack share. */
export interface StackContext {
  /** Name of the stack. */
  readonly stack: string;
  readonly labels: readonly Label[];
  readonly configured: ConfiguredSecrets;
  readonly digest: (text: pulumi.Input<string>) => pulumi.Output<string>;
  readonly network: pulumi.Input<string>;
  readonly protectData: boolean;
}

export interface ServiceArgs {
  readonly plan: ServicePlan;
  readonly context: StackContext;
  readonly dependsOn?: readonly pulumi.Resource[];
  /** Secrets of other components that the files contain. */
  readonly secrets?: SecretOutputs;
  /** Secrets that the service generates, unless the configuration sets them. */
  readonly owns?: readonly SecretName[];
  /** Id of a built image; by default the image of the plan is pulled. */
  readonly image?: pulumi.Input<string>;
  /** Mounts of volumes that several containers share. */
  readonly mounts?: readonly Mount[];
}

/** One container with its image, volumes and files; the only way to run a service. */
export class Service extends pulumi.ComponentResource {
  readonly containerId: pulumi.Output<string>;
  readonly secrets: SecretOutputs;
  readonly #volumes: ReadonlyMap<string, docker.Volume>;
  readonly #configs: readonly ConfigVolume[];

  constructor(name: string, args: ServiceArgs, opts: pulumi.ComponentResourceOptions) {
    super("eventpipeline:service:Service", name, {}, opts);
    const { plan, context, dependsOn = [] } = args;
    const parent = { parent: this };
    this.secrets = ownSecrets(name, args, this);
    const secrets = { ...args.secrets, ...this.secrets };
    const { labels, network } = context;
    const data = plan.volumes.map((spec) => {
      const volume = `${name}-${spec.role}`;
      return { ...spec, volume: dataVolume(volume, { spec, ...context }, this) };
    });
    this.#volumes = new Map(data.map(({ role, volume }) => [role, volume]));
    const image = args.image ?? pulledImage(`${name}-image`, plan.container.image, this);
    const configs = plan.configs.map(
      (spec) => new ConfigVolume(`${name}-${spec.role}`, { spec, labels, image, secrets }, parent),
    );
    this.#configs = configs;
    const { containerId } = new ServiceContainer(
      `${name}-service`,
      {
        spec: plan.container,
        labels,
        network,
        image,
        triggerDigests: digestsOf(plan, context, secrets),
        mounts: [
          ...data.map(({ volume, path }) => mountOf(volume, path)),
          ...configs.map(({ mount }) => mount),
          ...(args.mounts ?? []),
        ],
        dependsOn: [...configs, ...dependsOn],
      },
      parent,
    );
    this.containerId = containerId;
    this.registerOutputs({ containerId: this.containerId, secrets: this.secrets });
  }

  /** Returns a data volume. @throws Error if the service has none with this role */
  volume(role: string): docker.Volume {
    const declared = this.#volumes.get(role);
    if (!declared) throw new Error(`the service has no volume ${role}`);
    return declared;
  }

  /** Returns a value that changes with the files. @param roles of configuration volumes; default all */
  filesVersion(...roles: readonly string[]): pulumi.Output<string> {
    const chosen = this.#configs.filter(({ role }) => roles.length === 0 || roles.includes(role));
    return pulumi.all(chosen.map(({ loaderId }) => loaderId)).apply((ids) => ids.join());
  }
}

const ownSecrets = (
  name: string,
  { owns = [], context: { configured } }: ServiceArgs,
  parent: pulumi.Resource,
): SecretOutputs =>
  Object.fromEntries(
    owns.map((one) => [one, ownSecret(one, childName(name, one), configured, parent)]),
  );

/** Returns one digest per text, so that an unknown secret leaves the other digests known. */
const digestsOf = (
  { container }: ServicePlan,
  { digest }: StackContext,
  secrets: SecretOutputs,
): Readonly<Record<string, pulumi.Input<string>>> =>
  Object.fromEntries(
    Object.entries(container.replaceTriggers).map(([label, text]) => [
      label,
      typeof text === "string" ? digestOf(text) : digest(textWith(text, secrets)),
    ]),
  );

const pulledImage = (name: string, image: string, parent: pulumi.Resource): pulumi.Output<string> =>
  new docker.RemoteImage(name, { name: image, ...KEEP_LOCAL_IMAGE }, { parent }).imageId;

/** Returns `minio-password` for `minio` and `minioPassword`. */
function childName(parent: string, secret: string): string {
  const child = kebabCase(secret);
  return child.startsWith(`${parent}-`) ? child : `${parent}-${child}`;
}
