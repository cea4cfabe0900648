import { z } from "zod";
import { cpus, flag, image, memory, port } from "../config-fields.ts";

export const grafanaConfig = z
  .strictObject({
    enabled: flag(true).describe("Deploys Grafana"),
    image: image("grafana/grafana:12.4.4"),
    port: port(3000, "Grafana"),
    memoryMiB: memory(512, 256),
    cpus: cpus(0.5),
  })
  .prefault({});

export type GrafanaSettings = z.infer<typeof grafanaConfig>;
