import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import type { SecretName } from "../secrets.ts";
import type { EncryptionKey } from "../shared/encryption-keys.ts";
import { renderText, type SecretText, type SecretValues } from "../shared/secret-text.ts";

/** Secrets by name. A missing secret fails at run time, so components that know theirs use `Secrets`. */
export type SecretOutputs = Readonly<
  Partial<Record<SecretName, pulumi.Output<string> | undefined>>
>;

/** Secrets that a component needs. @param Sometimes undefined with some settings, but never left out */
export type Secrets<Always extends SecretName, Sometimes extends SecretName = never> = Readonly<
  Record<Always, pulumi.Output<string>> & Record<Sometimes, pulumi.Output<string> | undefined>
>;

/** Secrets that the configuration sets; they override generated secrets. */
export type ConfiguredSecrets = ReadonlyMap<SecretName, pulumi.Output<string>>;

const LENGTH = 32;

/** Generates a password that only `pulumi up --replace` changes. */
export const generatedSecret = (
  name: string,
  parent: pulumi.Resource,
  protect = false,
): pulumi.Output<string> =>
  // URLs and command arguments contain the value, so it has no special characters.
  pulumi.secret(
    new random.RandomPassword(name, { length: LENGTH, special: false }, { parent, protect }).result,
  );

export const ownSecret = (
  secret: SecretName,
  name: string,
  configured: ConfiguredSecrets,
  parent: pulumi.Resource,
): pulumi.Output<string> => configured.get(secret) ?? generatedSecret(name, parent);

/** Returns a secret whose presence `parseProjectConfig` has checked. */
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
  /** Number of generated keys. */
  readonly generation: number;
  readonly configured: ConfiguredSecrets;
  readonly isProtected: boolean;
}

/** Returns current and previous key; a configured key makes the last generated one previous. */
export function encryptionKeys(args: EncryptionKeyArgs, parent: pulumi.Resource): SecretOutputs {
  const { key, generation, configured } = args;
  const generated = Array.from({ length: generation }, (_, before) =>
    generatedSecret(`${key.resource}-${before + 1}`, parent, args.isProtected),
  );
  const own = configured.get(key.current);
  const current = own ?? generated.at(-1);
  const previous = configured.get(key.previous) ?? generated.at(own ? -1 : -2);
  return {
    ...(current ? { [key.current]: current } : {}),
    ...(previous ? { [key.previous]: previous } : {}),
  };
}

/** Renders a text; the result is unknown only while one of its secrets is unknown. */
export function textWith(text: SecretText, secrets: SecretOutputs): pulumi.Output<string> {
  const values = text.from.map((name) => [name, required(secrets, name)] as const);
  return pulumi.secret(
    pulumi
      .all(Object.fromEntries(values))
      .apply((known) => renderText(text, known as SecretValues)),
  );
}

/** Returns a secret. @throws Error if the component did not receive it */
export function required(secrets: SecretOutputs, name: SecretName): pulumi.Output<string> {
  const value = secrets[name];
  if (!value) throw new Error(`${name} was not handed to the component that needs it`);
  return value;
}
