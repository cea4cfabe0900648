import { z } from "zod";
import { cpus, memory } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Metadata of the scheduler and of BI; deployed with either. */
export const postgresConfig = serviceConfig({
  settings: z.strictObject({
    memoryMiB: memory(256, 128),
    cpus: cpus(1),
  }),
  images: { postgres: "postgres:17.6" },
  secrets: {
    postgresPassword: "PostgreSQL user postgres (administrator)",
    schedulerDatabasePassword: "PostgreSQL user airflow",
    biDatabasePassword: "PostgreSQL user superset",
  },
});
