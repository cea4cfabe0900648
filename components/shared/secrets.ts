import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { type EncryptionKey, kebabCase, keyResource, type SecretName } from "../secrets.ts";

/** Secrets that the configuration sets; they override generated ones. */
export type ConfiguredSecrets = Readonly<Partial<Record<SecretName, pulumi.Output<string>>>>;

/** Secrets that a component owns. */
export type SecretOutputs = Readonly<Partial<Record<SecretName, pulumi.Output<string>>>>;

const LENGTH = 32;

/** Returns a secret of the configuration, or generates one that only `pulumi up --replace` changes. */
export const ownSecret = (
  secret: SecretName,
  configured: ConfiguredSecrets,
  parent?: pulumi.Resource,
): pulumi.Output<string> => configured[secret] ?? generated(kebabCase(secret), parent);

const generated = (name: string, parent?: pulumi.Resource): pulumi.Output<string> =>
  // URLs and command arguments contain the value, so it has no special characters.
  pulumi.secret(
    new random.RandomPassword(name, { length: LENGTH, special: false }, parent ? { parent } : {})
      .result,
  );

/** Returns a secret whose presence `parseProjectConfig` has checked. */
export function configuredSecret(
  secret: SecretName,
  configured: ConfiguredSecrets,
): pulumi.Output<string> {
  const value = configured[secret];
  if (!value) throw new Error(`${secret} is not in the configuration`);
  return value;
}

export interface KeyPair {
  readonly current: pulumi.Output<string>;
  /** Undefined for the first generation. */
  readonly previous: pulumi.Output<string> | undefined;
}

/**
 * Returns current and previous key; a configured key makes the last generated one previous.
 * @param generation number of generated keys, at least 1
 */
export function encryptionKeys(
  key: EncryptionKey,
  generation: number,
  configured: ConfiguredSecrets,
  parent: pulumi.Resource,
): KeyPair {
  const made = Array.from({ length: generation }, (_, before) =>
    generated(keyResource(key, before + 1), parent),
  );
  const own = configured[key.current];
  const [last, beforeLast] = [made.at(-1), made.at(-2)];
  if (last === undefined) throw new Error(`${key.current} has no generation`);
  return {
    current: own ?? last,
    previous: configured[key.previous] ?? (own ? last : beforeLast),
  };
}
