import { z } from "zod";
import type { BiConfig } from "../bi/config.ts";
import type { SchedulerConfig } from "../scheduler/config.ts";
import { cpus, memory } from "../shared/config-fields.ts";
import { type DataVolume, serviceConfig } from "../shared/service-config.ts";

export const postgresData = {
  role: "data",
  name: "postgres-data",
  path: "/var/lib/postgresql/data",
  loss: "irreplaceable",
} as const satisfies DataVolume;

export const postgresConfig = serviceConfig({
  settings: z.strictObject({
    memoryMiB: memory(256, 128),
    cpus: cpus(1),
  }),
  deployedWith: "scheduler.enabled or bi.enabled",
  volumes: [postgresData],
  images: { postgres: "postgres:17.6" },
  secrets: {
    postgresPassword: "PostgreSQL user postgres (administrator)",
    schedulerDatabasePassword: "PostgreSQL user airflow",
    biDatabasePassword: "PostgreSQL user superset",
  },
});

/** Postgres settings plus those of the services with data in Postgres, even if disabled. */
export type PostgresConfig = z.infer<typeof postgresConfig.block> & {
  readonly bi: Pick<BiConfig, "enabled" | "secretKeyGeneration">;
  readonly scheduler: Pick<SchedulerConfig, "enabled" | "fernetKeyGeneration">;
};
