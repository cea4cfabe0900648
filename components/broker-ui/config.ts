import { z } from "zod";
import { cpus, flag, memory, port } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Kafka UI. */
export const brokerUiConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true),
    port: port(8082),
    memoryMiB: memory(512, 320),
    cpus: cpus(1),
  }),
  images: { brokerUi: "ghcr.io/kafbat/kafka-ui:v1.5.0" },
});
