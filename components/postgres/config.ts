import { z } from "zod";
import { cpus, memory } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Deployed with the scheduler or BI. */
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
