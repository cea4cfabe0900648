import { z } from "zod";
import { cpus, generation, image, memory } from "../config-fields.ts";

export const postgresConfig = z.strictObject({
  image: image("postgres:15.20"),
  // Not in the blocks of the services, because their data and keys stay when they are off.
  airflowKeyGeneration: generation.describe(
    "Number of Airflow's Fernet key; the next number generates another, and encrypts stored values again",
  ),
  supersetKeyGeneration: generation.describe(
    "Number of Superset's secret key; the next number generates another, and the previous one decrypts old values",
  ),
  memoryMiB: memory(256, 128),
  cpus: cpus(1),
});

export type PostgresSettings = Omit<
  z.infer<typeof postgresConfig>,
  "airflowKeyGeneration" | "supersetKeyGeneration"
>;
