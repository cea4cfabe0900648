import { z } from "zod";
import { cpus, memory } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Metadata of the scheduler and of BI; runs where one of them does. */
export const postgresConfig = serviceConfig(
  z.strictObject({
    memoryMiB: memory(256, 128),
    cpus: cpus(1),
  }),
  { postgres: "postgres:17.6" },
);
