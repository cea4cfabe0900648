import { z } from "zod";
import { cpus, flag, port, text, untestedMemory } from "../shared/config-fields.ts";
import { type DataVolume, serviceConfig } from "../shared/service-config.ts";

export const dashboardsLibrary = {
  role: "library",
  name: "grafana-data",
  path: "/var/lib/grafana",
  loss: "disposable",
} as const satisfies DataVolume;

export const dashboardsConfig = serviceConfig({
  settings: z.strictObject({
    enabled: flag(true).describe("Deploys Grafana"),
    port: port(3000, "Grafana"),
    runbook: text(
      "an address like https://host/docs/reference/metrics-and-alerts.md",
      /^https?:\/\/\S+$/,
    )
      .optional()
      .describe(
        "Published address of docs/reference/metrics-and-alerts.md, to which every alert links",
      ),
    memoryMiB: untestedMemory(512, 256),
    cpus: cpus(0.5),
  }),
  deployedWith: "metrics.enabled and dashboards.enabled",
  volumes: [dashboardsLibrary],
  images: { grafana: "grafana/grafana:12.4.4" },
  secrets: { alertWebhook: "Address that receives a POST for each group of alerts" },
});

export type DashboardsConfig = z.infer<typeof dashboardsConfig.block>;
