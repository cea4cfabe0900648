import { z } from "zod";
import { cpus, flag, memory, port, whole } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

/** Prometheus. */
export const metricsConfig = serviceConfig({
  settings: z.strictObject({
    /** Without it there are no dashboards, exporters and alerts either. */
    enabled: flag(true),
    port: port(9090),
    /** Whichever limit comes first. */
    retentionDays: whole("days", 15, 1, 3650),
    retentionMiB: whole("MiB", 2048, 256, 1_048_576),
    /** Longest delay of a sample, so that a clock that jumps back loses none. */
    outOfOrderMinutes: whole("minutes", 30, 0, 10_080),
    memoryMiB: memory(512, 256),
    cpus: cpus(0.5),
  }),
  images: { prometheus: "prom/prometheus:v3.13.3" },
});
