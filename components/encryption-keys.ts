/** Keys of the values that Airflow and Superset store in Postgres. */
import type * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "./config.ts";
import { AIRFLOW_KEY, type EncryptionKey, keyResource, SUPERSET_KEY } from "./secrets.ts";
import { ownSecret } from "./shared/secrets.ts";

/** Key of stored values; a service decrypts with both, and encrypts with the current one. */
export interface KeyPair {
  readonly current: pulumi.Output<string>;
  /** Undefined for the first generation. */
  readonly previous: pulumi.Output<string> | undefined;
}

/** Returns the keys with which services encrypt what they store in Postgres. */
export const encryptionKeys = (
  { airflow, superset }: StackConfig["keyGenerations"],
  parent: pulumi.Resource,
) => ({
  airflow: keyPair(AIRFLOW_KEY, airflow, parent),
  superset: keyPair(SUPERSET_KEY, superset, parent),
});

/** Returns the keys of the last two generations; earlier ones stay in the state. */
function keyPair(key: EncryptionKey, generation: number, parent: pulumi.Resource): KeyPair {
  const keys = Array.from({ length: generation }, (_, before) =>
    ownSecret(keyResource(key, before + 1), undefined, parent),
  );
  const [current, previous] = keys.reverse();
  if (current === undefined) throw new Error(`${key} has no generation`);
  return { current, previous };
}
