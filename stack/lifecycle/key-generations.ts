import { type EncryptionKey, generationOf } from "../../components/secrets.ts";
import { UserError } from "../../contract/errors.ts";
import { changeHint } from "../make-hints.ts";
import type { Deployment } from "./recover.ts";

/** Returns the last generation of a key that Pulumi has recorded; 0 without one. */
export const lastGeneration = (key: EncryptionKey, { resources }: Deployment): number =>
  Math.max(0, ...resources.map(({ urn }) => generationOf(key, urn.split("::").at(-1) ?? "") ?? 0));

/** Refuses a lower generation, which would delete keys of encrypted data. @throws UserError */
export function refuseLowered(
  stack: string,
  key: EncryptionKey,
  { setting, generation }: { readonly setting: string; readonly generation: number },
  deployment: Deployment,
): void {
  const recorded = lastGeneration(key, deployment);
  if (generation >= recorded) return;
  throw new UserError(
    `${setting} is ${generation}, and the stack has the key of generation ${recorded}, without which encrypted data cannot be read. Nothing was changed`,
    `${changeHint(stack, `set ${setting} to ${recorded}`)}, then retry`,
  );
}
