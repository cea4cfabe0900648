import { z } from "zod";
import { cpus, flag, MOST_GENERATIONS, memory, port, whole } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Superset. */
export const biConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true),
    port: port(8088),
    /** Incrementing it gives Superset a new secret key; the previous key decrypts old values. */
    secretKeyGeneration: whole("generations", 1, 1, MOST_GENERATIONS),
    memoryMiB: memory(512, 320),
    cpus: cpus(1),
  }),
  images: { superset: "apache/superset:6.1.0" },
  secrets: {
    biSecretKey: "Signs Superset's sessions and encrypts stored passwords",
    biPreviousSecretKey: "Superset's key before the last change",
  },
});
