import { createHash } from "node:crypto";
import { postgresDatabase } from "../postgres/spec.ts";
import { hasPrevious, SCHEDULER_KEY } from "../shared/encryption-keys.ts";
import type { Placement } from "../shared/placement.ts";
import { justSecret, type SecretText, secretText } from "../shared/secret-text.ts";
import type { SchedulerConfig } from "./config.ts";
import type { SchedulerDependencies } from "./environment.ts";

/** Returns the secret files of the init job and both services. */
export const schedulerSecrets = (
  config: SchedulerConfig,
  { configured }: Placement,
  { broker, generator }: SchedulerDependencies,
): Record<string, SecretText> => ({
  "admin-password": justSecret("adminPassword"),
  ...(generator ? { "control-token": justSecret("controlToken") } : {}),
  "database-password": justSecret("databasePassword"),
  "fernet-key": fernetKeys(config, configured),
  "metadata-url": metadataUrl(),
  "web-key": justSecret("schedulerWebKey"),
  ...(broker.endpoint.security.sasl ? { "kafka-sasl-password": justSecret("brokerPassword") } : {}),
});

function metadataUrl(): SecretText {
  const { host, port, name, user, password } = postgresDatabase("scheduler");
  const address = `${host}:${port}/${name}`;
  return secretText(
    [password],
    (values) => `postgresql+psycopg2://${user}:${encodeURIComponent(values[password])}@${address}`,
  );
}

/** Returns the Fernet keys; Airflow encrypts with the first and decrypts with all. */
function fernetKeys(
  { fernetKeyGeneration }: SchedulerConfig,
  configured: Placement["configured"],
): SecretText {
  const { current, previous } = SCHEDULER_KEY;
  const isSecond = hasPrevious(SCHEDULER_KEY, fernetKeyGeneration, configured);
  const names = isSecond ? [current, previous] : [current];
  return secretText(names, (values) => names.map((name) => fernetKey(values[name])).join(","));
}

/** Derives the 32 bytes that Fernet needs, in URL-safe base64 with padding, from any text. */
const fernetKey = (secret: string): string =>
  `${createHash("sha256").update(secret).digest("base64url")}=`;
