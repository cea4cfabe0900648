import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { SecretName } from "../secrets.ts";
import type { Label } from "../shared/labels.ts";
import { digestOf, type ServicePlan } from "../shared/spec.ts";
import { ConfigVolume } from "./config-volume.ts";
import { type ConfiguredSecrets, ownSecret, type SecretOutputs, textWith } from "./secret.ts";
import { ServiceContainer } from "./service-container.ts";
import { dataVolume, type Volumes } from "./volume.ts";

/** What every service component is given besides its own plan. */
export interface StackContext {
  readonly stack: string;
  readonly labels: readonly Label[];
  readonly configured: ConfiguredSecrets;
  /** Digest of a text with secrets in it, for a label. */
  readonly digest: (text: pulumi.Output<string>) => pulumi.Output<string>;
  /** Id of the network that all containers share. */
  readonly network: pulumi.Output<string>;
  /** Whether Pulumi itself refuses to delete irreplaceable volumes. */
  readonly protectData: boolean;
}

export interface ServiceOptions {
  readonly parent: pulumi.Resource;
  /** What must exist before the container starts. */
  readonly after?: readonly pulumi.Resource[];
  /** Id of an image built here; without it the image of the plan is pulled. */
  readonly builtImage?: pulumi.Output<string>;
  /** Volumes that it mounts and other components declare. */
  readonly volumes?: Volumes;
  /** What its files and start texts are made from. */
  readonly secrets?: SecretOutputs;
}

export interface ServiceParts {
  readonly container: ServiceContainer;
  readonly configs: readonly ConfigVolume[];
}

export interface ServiceArgs {
  readonly spec: { readonly service: ServicePlan };
  readonly context: StackContext;
  /** What must run before the container starts. */
  readonly after?: readonly pulumi.Resource[];
  /** Secrets of others that its files hold. */
  readonly secrets?: SecretOutputs;
  /** Secrets that it owns. */
  readonly owns?: readonly SecretName[];
}

/** A service that is one container, with its configuration, its data and its secrets. */
export class Service extends pulumi.ComponentResource {
  readonly containerId: pulumi.Output<string>;
  /** The secrets that it owns. */
  readonly secrets: SecretOutputs;

  constructor(name: string, args: ServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:service:Service", name, {}, opts);
    const { spec, context, secrets, owns = [], after = [] } = args;
    this.secrets = Object.fromEntries(
      owns.map((secret) => [
        secret,
        ownSecret(secret, childName(name, secret), context.configured, this),
      ]),
    );
    const { container } = deployService(name, spec.service, context, {
      parent: this,
      after,
      secrets: { ...secrets, ...this.secrets },
    });
    this.containerId = container.containerId;
    this.registerOutputs({ containerId: this.containerId });
  }
}

/** Volumes, configuration and container of one service, as children of its component. */
export function deployService(
  name: string,
  plan: ServicePlan,
  context: StackContext,
  { parent, after = [], builtImage, volumes = new Map(), secrets = {} }: ServiceOptions,
): ServiceParts {
  const { labels, network } = context;
  const own = dataVolumes(name, plan, context, parent);
  const image = builtImage ?? pulledImage(`${name}-image`, plan.container.image, parent);
  const configs = plan.configs.map(
    (spec) =>
      new ConfigVolume(`${name}-${spec.role}`, { spec, labels, image, secrets }, { parent }),
  );
  const container = new ServiceContainer(
    `${name}-service`,
    {
      spec: plan.container,
      labels,
      network,
      image,
      startDigests: startDigests(plan, context, secrets),
      volumes: new Map([...volumes, ...own, ...mountable(configs)]),
      after: [...configs, ...after],
    },
    { parent },
  );
  return { container, configs };
}

/** One digest per text, so that a secret that is not known yet leaves the others known. */
const startDigests = (
  { container }: ServicePlan,
  { digest }: StackContext,
  secrets: SecretOutputs,
): Readonly<Record<string, pulumi.Input<string>>> =>
  Object.fromEntries(
    Object.entries(container.startTexts).map(([label, text]) => [
      label,
      typeof text === "string" ? digestOf(text) : digest(textWith(text, secrets)),
    ]),
  );

/** Volumes of a service that hold its data. */
export const dataVolumes = (
  name: string,
  plan: Pick<ServicePlan, "dataVolumes">,
  { labels, protectData }: StackContext,
  parent: pulumi.Resource,
): Volumes =>
  new Map(
    plan.dataVolumes.map((spec) => [
      spec.volume,
      dataVolume(name, { spec, labels, isProtected: protectData }, parent),
    ]),
  );

/** Volumes of configuration files, as a container mounts them. */
export const mountable = (configs: readonly ConfigVolume[]): Volumes =>
  new Map(configs.map(({ engineName, volume }) => [engineName, volume]));

/** Kept when the stack goes: others may use it, and the next start need not pull it again. */
const pulledImage = (name: string, image: string, parent: pulumi.Resource): pulumi.Output<string> =>
  new docker.RemoteImage(name, { name: image, keepLocally: true }, { parent }).imageId;

/** `minio` and `minioPassword` → `minio-password`. */
function childName(parent: string, secret: string): string {
  const kebabCase = secret.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return kebabCase.startsWith(`${parent}-`) ? kebabCase : `${parent}-${kebabCase}`;
}

/** Options of a service whose component had a type of its own in earlier versions. */
export const previously = (
  type: string,
  opts: pulumi.ComponentResourceOptions,
): pulumi.ComponentResourceOptions => pulumi.mergeOptions(opts, { aliases: [{ type }] });
