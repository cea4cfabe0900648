import { z } from "zod";
import { cpus, flag, image, memory, port } from "../config-fields.ts";

export const kafkaUiConfig = z
  .strictObject({
    enabled: flag(true).describe("Deploys Kafka UI"),
    image: image("ghcr.io/kafbat/kafka-ui:v1.5.0"),
    port: port(8082, "Kafka UI"),
    memoryMiB: memory(512, 320),
    cpus: cpus(1),
  })
  .prefault({});

export type KafkaUiSettings = z.infer<typeof kafkaUiConfig>;
