import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import type { StackConfig } from "../pipeline/stack/config.ts";
import {
  generatedSecrets,
  SECRET_NAMES,
  type SecretName,
  type Secrets,
} from "../pipeline/stack/secrets.ts";

export interface StackSecretsArgs {
  readonly config: StackConfig;
  /** Secrets of the stack's configuration: they win over generated ones. */
  readonly given: GivenSecrets;
}

export type GivenSecrets = ReadonlyMap<SecretName, pulumi.Output<string>>;

const LENGTH = 32;
const SUPERSET_KEY = "biSecretKey";

/**
 * Makes every secret that the configuration does not give. `pulumi up --replace` of one makes
 * another value, which every service takes.
 */
export class StackSecrets extends pulumi.ComponentResource {
  readonly values: ReadonlyMap<SecretName, pulumi.Output<string>>;

  constructor(name: string, args: StackSecretsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:secrets:StackSecrets", name, {}, opts);
    const { config, given } = args;
    const make = (secret: string) => this.#password(`${name}-${kebabCase(secret)}`);
    const names = generatedSecrets(config).filter((one) => one !== SUPERSET_KEY && !given.has(one));
    const made = new Map(names.map((one) => [one, make(one)]));
    this.values = new Map([...made, ...given, ...supersetKeys(args, make)]);
    this.registerOutputs({});
  }

  #password(name: string): pulumi.Output<string> {
    // Letters and digits: the value is part of URLs and of a command's arguments.
    const options = { length: LENGTH, special: false };
    return pulumi.secret(new random.RandomPassword(name, options, { parent: this }).result);
  }

  /** Some secrets of the stack, by name; undefined where the stack has none. */
  some(names: readonly SecretName[]): pulumi.Output<Partial<Secrets>> {
    const wanted = SECRET_NAMES.filter((name) => names.includes(name));
    return pulumi.all(
      Object.fromEntries(wanted.map((name) => [name, this.values.get(name)])),
    ) as pulumi.Output<Partial<Secrets>>;
  }
}

/** The key of the configured generation, and the one before for what is encrypted with it. */
function supersetKeys(
  { config, given }: StackSecretsArgs,
  make: (name: string) => pulumi.Output<string>,
): Map<SecretName, pulumi.Output<string>> {
  const generation = config.bi.secretKeyGeneration;
  const keyOf = (number: number): pulumi.Output<string> =>
    (number === 1 && given.get(SUPERSET_KEY)) || make(`${SUPERSET_KEY}-${number}`);
  const keys = new Map([[SUPERSET_KEY as SecretName, keyOf(generation)]]);
  if (generation > 1) keys.set("biPreviousSecretKey", keyOf(generation - 1));
  return keys;
}

/** `databasePassword` → `database-password`. */
const kebabCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
