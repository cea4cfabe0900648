import { z } from "zod";
import { cpus, image, integer, memory, port, text } from "../config-fields.ts";

export const prometheusConfig = z.strictObject({
  image: image("prom/prometheus:v3.13.3"),
  port: port(9090, "Prometheus"),
  retentionDays: integer(15, 1, 3650).describe("Age at which samples are deleted, days"),
  retentionMiB: integer(2048, 256, 1_048_576).describe(
    "Size above which the oldest samples are deleted, MiB",
  ),
  outOfOrderMinutes: integer(30, 0, 10_080).describe(
    "Longest accepted delay of a sample, minutes; keeps samples when a clock jumps back",
  ),
  runbook: text(
    "an address like https://host/docs/reference/metrics-and-alerts.md",
    /^https?:\/\/\S+$/,
  )
    .optional()
    .describe(
      "Published address of docs/reference/metrics-and-alerts.md, to which every alert links, also in Grafana",
    ),
  memoryMiB: memory(512, 256),
  cpus: cpus(0.5),
});

export type PrometheusSettings = z.infer<typeof prometheusConfig>;
