import { z } from "zod";
import { cpus, image, memory, port } from "../config-fields.ts";

export const kafkaUiConfig = z.strictObject({
  image: image("ghcr.io/kafbat/kafka-ui:v1.5.0"),
  port: port(8082, "Kafka UI"),
  memoryMiB: memory(512, 320),
  cpus: cpus(1),
});

export type KafkaUiSettings = z.infer<typeof kafkaUiConfig>;
