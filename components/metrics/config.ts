import { z } from "zod";
import { cpus, flag, integer, memory, port } from "../shared/config-fields.ts";
import { type DataVolume, serviceConfig } from "../shared/service-config.ts";

export const metricsSeries = {
  role: "series",
  name: "prometheus-data",
  path: "/prometheus",
  loss: "disposable",
} as const satisfies DataVolume;

export const metricsConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true).describe("Deploys Prometheus; without it there is no Grafana either"),
    port: port(9090, "Prometheus"),
    retentionDays: integer(15, 1, 3650).describe("Age at which samples are deleted, days"),
    retentionMiB: integer(2048, 256, 1_048_576).describe(
      "Size above which the oldest samples are deleted, MiB",
    ),
    outOfOrderMinutes: integer(30, 0, 10_080).describe(
      "Longest delay of a sample, minutes, so that a clock that jumps back loses none",
    ),
    memoryMiB: memory(512, 256),
    cpus: cpus(0.5),
  }),
  commands: ["monitoring"],
  volumes: [metricsSeries],
  images: { prometheus: "prom/prometheus:v3.13.3" },
});

/** Metrics settings plus the address of the runbook that alerts link. */
export type MetricsConfig = z.infer<typeof metricsConfig.block> & {
  readonly runbook: string | undefined;
};
