/** Data that stay when their service is switched off, so they are declared apart from it. */
import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "./config.ts";
import { AIRFLOW_KEY, type EncryptionKey, keyResource, SUPERSET_KEY } from "./secrets.ts";
import type { Network } from "./shared/network.ts";
import { ownSecret } from "./shared/secrets.ts";
import { volumeOf } from "./shared/service.ts";

/** Key of stored values; a service decrypts with both, and encrypts with the current one. */
export interface KeyPair {
  readonly current: pulumi.Output<string>;
  /** Undefined for the first generation. */
  readonly previous: pulumi.Output<string> | undefined;
}

/** Creates the volume of a service that may be off. @param type of the service */
export function keptVolume(
  service: string,
  type: string,
  network: Network,
  parent: pulumi.Resource,
): docker.Volume {
  const owner = earlierOwner(service, type, parent);
  const earlierParent = pulumi.createUrn(service, "eventpipeline:index:Service", owner);
  const aliases = [{ parent: earlierParent }];
  return volumeOf(service, { name: "data" }, network, { parent, aliases });
}

/** In an earlier version of a stack, data were a part of their service. */
const earlierOwner = (service: string, type: string, parent: pulumi.Resource) =>
  pulumi.createUrn(service, `eventpipeline:index:${type}`, parent);

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
  const aliases = [{ parent: earlierOwner("postgres", "Postgres", parent) }];
  const keys = Array.from({ length: generation }, (_, before) =>
    ownSecret(keyResource(key, before + 1), undefined, parent, aliases),
  );
  const [current, previous] = keys.reverse();
  if (current === undefined) throw new Error(`${key} has no generation`);
  return { current, previous };
}
