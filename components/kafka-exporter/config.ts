import { z } from "zod";
import { cpus, image, memory, port } from "../config-fields.ts";

export const kafkaExporterConfig = z.strictObject({
  image: image("danielqsj/kafka-exporter:v1.9.0"),
  port: port(9308, "Kafka's metrics"),
  memoryMiB: memory(128, 64),
  cpus: cpus(0.2),
});

export type KafkaExporterSettings = z.infer<typeof kafkaExporterConfig>;
