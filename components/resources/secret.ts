import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import type { SecretName } from "../secrets.ts";
import type { EncryptionKey } from "../shared/encryption-keys.ts";
import { renderText, type SecretText, type SecretValues } from "../shared/secret-text.ts";

export type SecretOutputs = Readonly<Partial<Record<SecretName, pulumi.Output<string>>>>;

/** Secrets that the configuration sets: they win over generated ones. */
export type ConfiguredSecrets = ReadonlyMap<SecretName, pulumi.Output<string>>;

const LENGTH = 32;

/** `pulumi up --replace` makes another. */
export const generatedSecret = (
  name: string,
  parent: pulumi.Resource,
  opts: pulumi.CustomResourceOptions = {},
): pulumi.Output<string> =>
  // Letters and digits: the value is part of URLs and of a command's arguments.
  pulumi.secret(
    new random.RandomPassword(name, { length: LENGTH, special: false }, { ...opts, parent }).result,
  );

export const ownSecret = (
  secret: SecretName,
  name: string,
  configured: ConfiguredSecrets,
  parent: pulumi.Resource,
): pulumi.Output<string> => configured.get(secret) ?? generatedSecret(name, parent);

/** `parseProjectConfig` refuses a configuration without it. */
export function configuredSecret(
  secret: SecretName,
  configured: ConfiguredSecrets,
): pulumi.Output<string> {
  const value = configured.get(secret);
  if (!value) throw new Error(`${secret} is not in the configuration`);
  return value;
}

export interface EncryptionKeyArgs {
  readonly key: EncryptionKey;
  /** Counts the generated keys, from 1. */
  readonly generation: number;
  readonly configured: ConfiguredSecrets;
  readonly isProtected: boolean;
}

/** A configured key is the current one in every generation; the generated one is the previous. */
export function encryptionKeys(args: EncryptionKeyArgs, parent: pulumi.Resource): SecretOutputs {
  const { key, generation, configured } = args;
  const generated = Array.from({ length: generation }, (_, before) =>
    generatedKey(args, before + 1, parent),
  );
  const own = configured.get(key.current);
  const current = own ?? generated.at(-1);
  const previous = configured.get(key.previous) ?? generated.at(own ? -1 : -2);
  return {
    ...(current ? { [key.current]: current } : {}),
    ...(previous ? { [key.previous]: previous } : {}),
  };
}

function generatedKey(
  { key: { resource, earlier }, isProtected }: EncryptionKeyArgs,
  generation: number,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const owner = pulumi.createUrn(earlier.owner, earlier.type);
  return generatedSecret(`${resource}-${generation}`, parent, {
    protect: isProtected,
    aliases: [{ name: `${earlier.resource}-${generation}`, parent: owner }],
  });
}

/** Unknown only as long as one of its secrets is. */
export function textWith(text: SecretText, secrets: SecretOutputs): pulumi.Output<string> {
  const values = text.from.map((name) => [name, required(secrets, name)] as const);
  return pulumi.secret(
    pulumi
      .all(Object.fromEntries(values))
      .apply((known) => renderText(text, known as SecretValues)),
  );
}

function required(secrets: SecretOutputs, name: SecretName): pulumi.Output<string> {
  const value = secrets[name];
  if (!value) throw new Error(`${name} was not handed to the component that needs it`);
  return value;
}
