import { z } from "zod";
import { cpus, flag, integer, MAX_GENERATIONS, memory, port } from "../shared/config-fields.ts";
import { type DataVolume, serviceConfig } from "../shared/service-config.ts";

export const schedulerLogs = {
  role: "logs",
  name: "airflow-logs",
  path: "/opt/airflow/logs",
  loss: "disposable",
} as const satisfies DataVolume;

export const schedulerConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true).describe("Deploys Airflow"),
    port: port(8080, "Airflow"),
    fernetKeyGeneration: integer(1, 1, MAX_GENERATIONS).describe(
      "Number of the Fernet key; the next number generates another, and encrypts stored values again",
    ),
    logDays: integer(14, 1, 3650).describe("Retention of task logs and finished runs, days"),
    memoryMiB: memory(1536, 1024).describe("Memory limit of the scheduler with its tasks, MiB"),
    cpus: cpus(2).describe("Limit of processor cores of the scheduler with its tasks"),
    webMemoryMiB: memory(768, 512).describe("Memory limit of the web server, MiB"),
    webCpus: cpus(1).describe("Limit of processor cores of the web server"),
  }),
  commands: ["dag"],
  volumes: [schedulerLogs],
  images: { airflow: "apache/airflow:2.10.5-python3.11" },
  secrets: {
    schedulerFernetKey: "Encrypts connections and variables in Airflow's database",
    schedulerPreviousFernetKey: "Airflow's Fernet key before the last change",
    schedulerWebKey: "Signs the sessions of Airflow's web server",
  },
});

export type SchedulerConfig = z.infer<typeof schedulerConfig.block>;
