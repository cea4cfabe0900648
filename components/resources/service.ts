import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { SecretName } from "../secrets.ts";
import type { Label } from "../shared/labels.ts";
import { digestOf, type ServicePlan } from "../shared/spec.ts";
import { ConfigVolume } from "./config-volume.ts";
import { type ConfiguredSecrets, ownSecret, type SecretOutputs, textWith } from "./secret.ts";
import { ServiceContainer } from "./service-container.ts";
import { dataVolume, type Volumes } from "./volume.ts";

export interface StackContext {
  readonly stack: string;
  readonly labels: readonly Label[];
  readonly configured: ConfiguredSecrets;
  readonly digest: (text: pulumi.Output<string>) => pulumi.Output<string>;
  readonly network: pulumi.Output<string>;
  readonly protectData: boolean;
}

export interface ServiceOptions {
  readonly parent: pulumi.Resource;
  readonly after?: readonly pulumi.Resource[];
  /** Id of an image built here; by default the image of the plan is pulled. */
  readonly builtImage?: pulumi.Output<string>;
  readonly volumes?: Volumes;
  readonly secrets?: SecretOutputs;
}

export interface ServiceParts {
  readonly container: ServiceContainer;
  readonly configs: readonly ConfigVolume[];
}

export interface ServiceArgs {
  readonly spec: { readonly service: ServicePlan };
  readonly context: StackContext;
  readonly after?: readonly pulumi.Resource[];
  readonly secrets?: SecretOutputs;
  readonly owns?: readonly SecretName[];
}

export class Service extends pulumi.ComponentResource {
  readonly containerId: pulumi.Output<string>;
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

/** One digest per text, so that an unknown secret leaves the others known. */
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

export const mountable = (configs: readonly ConfigVolume[]): Volumes =>
  new Map(configs.map(({ engineName, volume }) => [engineName, volume]));

/** Kept after the stack is deleted: others may use it, and the next start need not pull it. */
const pulledImage = (name: string, image: string, parent: pulumi.Resource): pulumi.Output<string> =>
  new docker.RemoteImage(name, { name: image, keepLocally: true }, { parent }).imageId;

/** `minio` and `minioPassword` → `minio-password`. */
function childName(parent: string, secret: string): string {
  const kebabCase = secret.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return kebabCase.startsWith(`${parent}-`) ? kebabCase : `${parent}-${kebabCase}`;
}

/** Aliases of a service whose component had its own type in earlier versions. */
export const previously = (
  type: string,
  opts: pulumi.ComponentResourceOptions,
): pulumi.ComponentResourceOptions => pulumi.mergeOptions(opts, { aliases: [{ type }] });
