import { z } from "zod";
import { cpus, flag, integer, MAX_GENERATIONS, memory, port } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

export const biConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true).describe("Deploys Superset"),
    port: port(8088, "Superset"),
    secretKeyGeneration: integer(1, 1, MAX_GENERATIONS).describe(
      "Number of the secret key; the next number generates another, and the previous one decrypts old values",
    ),
    memoryMiB: memory(512, 320),
    cpus: cpus(1),
  }),
  commands: ["bi-init"],
  images: { superset: "apache/superset:6.1.0" },
  secrets: {
    biSecretKey: "Signs Superset's sessions and encrypts stored passwords",
    biPreviousSecretKey: "Superset's key before the last change",
  },
});

export type BiConfig = z.infer<typeof biConfig.block>;
