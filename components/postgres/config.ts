import { z } from "zod";
import { cpus, generation, image, memory } from "../config-fields.ts";

export const postgresConfig = z.strictObject({
  image: image("postgres:17.6"),
  // Here, because the keys of a service that is off stay with its data.
  airflowKeyGeneration: generation.describe(
    "Number of Airflow's Fernet key; the next number generates another, and encrypts stored values again",
  ),
  supersetKeyGeneration: generation.describe(
    "Number of Superset's secret key; the next number generates another, and the previous one decrypts old values",
  ),
  memoryMiB: memory(256, 128),
  cpus: cpus(1),
});

export type PostgresSettings = z.infer<typeof postgresConfig>;
