import { z } from "zod";
import { cpus, flag, memory, port } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

export const brokerExporterConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true).describe("Deploys the exporter of the broker's metrics"),
    port: port(9308, "the broker's metrics"),
    memoryMiB: memory(128, 64),
    cpus: cpus(0.2),
  }),
  deployedWith: "metrics.enabled and brokerExporter.enabled",
  images: { brokerExporter: "danielqsj/kafka-exporter:v1.9.0" },
});

export type BrokerExporterConfig = z.infer<typeof brokerExporterConfig.block>;
