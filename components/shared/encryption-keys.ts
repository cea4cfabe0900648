import type { SecretName } from "../secrets.ts";

/**
 * A key that encrypts what a service stores. It has generations, because what is stored must stay
 * readable until the service has encrypted it again.
 */
export interface EncryptionKey {
  readonly current: SecretName;
  readonly previous: SecretName;
}

export const BI_KEY = {
  current: "biSecretKey",
  previous: "biPreviousSecretKey",
} as const satisfies EncryptionKey;

export const SCHEDULER_KEY = {
  current: "schedulerFernetKey",
  previous: "schedulerPreviousFernetKey",
} as const satisfies EncryptionKey;

/**
 * True if there is a key before the current one: of the previous generation, or the generated one
 * that a configured key has replaced.
 */
export const hasPrevious = (
  { current, previous }: EncryptionKey,
  generation: number,
  configured: ReadonlySet<SecretName>,
): boolean => generation > 1 || configured.has(current) || configured.has(previous);
