import type { SecretName } from "../secrets.ts";

/** Encryption key with generations: old ones decrypt values until the service has re-encrypted them. */
export interface EncryptionKey {
  readonly current: SecretName;
  readonly previous: SecretName;
  /** Name of the resource without the number of the generation. */
  readonly resource: string;
}

export const BI_KEY = {
  current: "biSecretKey",
  previous: "biPreviousSecretKey",
  resource: "postgres-bi-secret-key",
} as const satisfies EncryptionKey;

export const SCHEDULER_KEY = {
  current: "schedulerFernetKey",
  previous: "schedulerPreviousFernetKey",
  resource: "postgres-scheduler-fernet-key",
} as const satisfies EncryptionKey;

/** Returns the generation in a resource's name; undefined for other resources. */
export function generationOf({ resource }: EncryptionKey, name: string): number | undefined {
  const [, stem, number] = /^(.+)-(\d+)$/.exec(name) ?? [];
  return stem === resource ? Number(number) : undefined;
}

export const isEncryptionKey = (name: string): boolean =>
  [BI_KEY, SCHEDULER_KEY].some((key) => generationOf(key, name) !== undefined);

/** True if a previous key exists: a previous generation's, or one that a configured key replaced. */
export const hasPrevious = (
  { current, previous }: EncryptionKey,
  generation: number,
  configured: ReadonlySet<SecretName>,
): boolean => generation > 1 || configured.has(current) || configured.has(previous);
