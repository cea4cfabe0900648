import type { SecretName } from "../secrets.ts";

/** Generations keep values readable until the service has re-encrypted them. */
export interface EncryptionKey {
  readonly current: SecretName;
  readonly previous: SecretName;
  /** Without the number of the generation. */
  readonly resource: string;
  readonly earlier: { readonly resource: string; readonly owner: string; readonly type: string };
}

export const BI_KEY = {
  current: "biSecretKey",
  previous: "biPreviousSecretKey",
  resource: "postgres-bi-secret-key",
  earlier: { resource: "bi-secret-key", owner: "bi", type: "eventpipeline:bi:Bi" },
} as const satisfies EncryptionKey;

export const SCHEDULER_KEY = {
  current: "schedulerFernetKey",
  previous: "schedulerPreviousFernetKey",
  resource: "postgres-scheduler-fernet-key",
  earlier: {
    resource: "scheduler-fernet-key",
    owner: "scheduler",
    type: "eventpipeline:scheduler:Scheduler",
  },
} as const satisfies EncryptionKey;

/** Undefined for other resources. */
export function generationOf(
  { resource, earlier }: EncryptionKey,
  name: string,
): number | undefined {
  const [, stem, number] = /^(.+)-(\d+)$/.exec(name) ?? [];
  return stem === resource || stem === earlier.resource ? Number(number) : undefined;
}

export const isEncryptionKey = (name: string): boolean =>
  [BI_KEY, SCHEDULER_KEY].some((key) => generationOf(key, name) !== undefined);

/** The previous generation's, or the generated one that a configured key has replaced. */
export const hasPrevious = (
  { current, previous }: EncryptionKey,
  generation: number,
  configured: ReadonlySet<SecretName>,
): boolean => generation > 1 || configured.has(current) || configured.has(previous);
