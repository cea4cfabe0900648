import { z } from "zod";
import { cpus, flag, MOST_GENERATIONS, memory, port, whole } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Airflow. */
export const schedulerConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true),
    /** Port of its web page. */
    port: port(8080),
    /** Incrementing it gives Airflow a new Fernet key; the previous one stays until re-encryption. */
    fernetKeyGeneration: whole("generations", 1, 1, MOST_GENERATIONS),
    /** Retention of task logs and finished runs. */
    logDays: whole("days", 14, 1, 3650),
    /** The scheduler with the tasks it runs; docs/airflow.md has the measurements. */
    memoryMiB: memory(1536, 1024),
    cpus: cpus(2),
    /** Two workers, and a third while it replaces the oldest. */
    webMemoryMiB: memory(768, 512),
    webCpus: cpus(1),
  }),
  images: { airflow: "apache/airflow:2.10.5-python3.11" },
  secrets: {
    schedulerFernetKey: "Encrypts connections and variables in Airflow's database",
    schedulerPreviousFernetKey: "Airflow's Fernet key before the last change",
    schedulerWebKey: "Signs the sessions of Airflow's web server",
  },
});
