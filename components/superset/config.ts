import { z } from "zod";
import { cpus, flag, generation, image, memory, port } from "../config-fields.ts";

export const supersetConfig = z
  .strictObject({
    enabled: flag(true).describe("Deploys Superset"),
    image: image("apache/superset:6.1.0"),
    port: port(8088, "Superset"),
    secretKeyGeneration: generation.describe(
      "Number of the secret key; the next number generates another, and the previous one decrypts old values",
    ),
    memoryMiB: memory(512, 320),
    cpus: cpus(1),
  })
  .prefault({});

export type SupersetSettings = z.infer<typeof supersetConfig>;
