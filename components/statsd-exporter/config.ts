import { z } from "zod";
import { cpus, image, memory, port } from "../config-fields.ts";

export const statsdExporterConfig = z.strictObject({
  image: image("prom/statsd-exporter:v0.31.0"),
  port: port(9102, "Airflow's metrics"),
  statsdPort: port(8125, "the StatsD receiver, UDP,", "udp"),
  memoryMiB: memory(96, 48),
  cpus: cpus(0.2),
});

export type StatsdExporterSettings = z.infer<typeof statsdExporterConfig>;
