import { z } from "zod";
import {
  cpus,
  flag,
  generation,
  image,
  integer,
  memory,
  nodeImage,
  port,
} from "../config-fields.ts";

export const airflowConfig = z
  .strictObject({
    enabled: flag(true).describe("Deploys Airflow"),
    image: image("apache/airflow:2.10.5-python3.11"),
    nodeImage: nodeImage(),
    port: port(8080, "Airflow"),
    fernetKeyGeneration: generation.describe(
      "Number of the Fernet key; the next number generates another, and encrypts stored values again",
    ),
    logDays: integer(14, 1, 3650).describe("Retention of task logs and finished runs, days"),
    memoryMiB: memory(1536, 1024).describe("Memory limit of the scheduler with its tasks, MiB"),
    cpus: cpus(2).describe("Limit of processor cores of the scheduler with its tasks"),
    webMemoryMiB: memory(768, 512).describe("Memory limit of the web server, MiB"),
    webCpus: cpus(1).describe("Limit of processor cores of the web server"),
  })
  .prefault({});

export type AirflowSettings = z.infer<typeof airflowConfig>;
