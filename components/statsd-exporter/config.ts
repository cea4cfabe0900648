import { z } from "zod";
import { cpus, memory, port } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

export const statsdExporterConfig = serviceConfig({
  settings: z.strictObject({
    port: port(9102, "the scheduler's metrics"),
    statsdPort: port(8125, "the StatsD receiver, UDP,"),
    memoryMiB: memory(96, 48),
    cpus: cpus(0.2),
  }),
  deployedWith: "metrics.enabled and scheduler.enabled",
  images: { statsdExporter: "prom/statsd-exporter:v0.28.0" },
});

export type StatsdExporterConfig = z.infer<typeof statsdExporterConfig.block>;
