import { z } from "zod";
import { cpus, memory, port } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Deployed with the scheduler and Prometheus. */
export const statsdExporterConfig = serviceConfig({
  settings: z.strictObject({
    port: port(9102).describe("Port of the exporter's metrics on this machine"),
    statsdPort: port(8125).describe("Port that receives StatsD, on this machine"),
    memoryMiB: memory(96, 48),
    cpus: cpus(0.2),
  }),
  images: { statsdExporter: "prom/statsd-exporter:v0.28.0" },
});
