import { z } from "zod";
import { cpus, flag, port, untestedMemory } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

export const brokerUiConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true).describe("Deploys Kafka UI"),
    port: port(8082, "Kafka UI"),
    memoryMiB: untestedMemory(512, 320),
    cpus: cpus(1),
  }),
  images: { brokerUi: "ghcr.io/kafbat/kafka-ui:v1.5.0" },
});

export type BrokerUiConfig = z.infer<typeof brokerUiConfig.block>;
