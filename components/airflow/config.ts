import { z } from "zod";
import { cpus, image, integer, memory, nodeImage, port } from "../config-fields.ts";

export const airflowConfig = z.strictObject({
  image: image("apache/airflow:3.3.2-python3.11"),
  nodeImage: nodeImage(),
  port: port(8080, "Airflow"),
  logDays: integer(14, 1, 3650).describe("Retention of task logs and finished runs, days"),
  memoryMiB: memory(1536, 1024).describe("Memory limit of the scheduler with its tasks, MiB"),
  cpus: cpus(2).describe("Limit of processor cores of the scheduler with its tasks"),
  apiServerMemoryMiB: memory(768, 512).describe("Memory limit of the API server, MiB"),
  apiServerCpus: cpus(1).describe("Limit of processor cores of the API server"),
  dagProcessorMemoryMiB: memory(384, 256).describe("Memory limit of the DAG processor, MiB"),
  dagProcessorCpus: cpus(1).describe("Limit of processor cores of the DAG processor"),
});

export type AirflowSettings = z.infer<typeof airflowConfig>;
