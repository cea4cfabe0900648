import {
  AIRFLOW_KEY,
  type EncryptionKey,
  generationOf,
  SUPERSET_KEY,
} from "../../components/secrets.ts";
import { UserError } from "../../contract/errors.ts";
import { localConfig } from "./local-config.ts";
import type { Deployment } from "./recover.ts";
import { changeHint } from "./stack-file.ts";

/** Returns the last generation of a key that Pulumi has recorded; 0 without one. */
export const lastGeneration = (key: EncryptionKey, { resources }: Deployment): number =>
  Math.max(0, ...resources.map(({ urn }) => generationOf(key, urn.split("::").at(-1) ?? "") ?? 0));

/** Refuses lower generations, which would delete keys of encrypted data. @throws UserError */
export function refuseLoweredKeys(stack: string, text: string, deployment: Deployment): void {
  const { postgres } = localConfig(stack, text);
  if (!postgres) return;
  const { airflow, superset } = postgres.keyGenerations;
  for (const { key, setting, generation } of [
    { key: AIRFLOW_KEY, setting: "airflow.fernetKeyGeneration", generation: airflow },
    { key: SUPERSET_KEY, setting: "superset.secretKeyGeneration", generation: superset },
  ]) {
    const recorded = lastGeneration(key, deployment);
    if (generation >= recorded) continue;
    throw new UserError(
      `${setting} is ${generation}, and the stack has the key of generation ${recorded}, without which encrypted data cannot be read. Nothing was changed`,
      `${changeHint(stack, `set ${setting} to ${recorded}`)}, then retry`,
    );
  }
}
