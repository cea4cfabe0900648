import { z } from "zod";
import { cpus, image, memory, port } from "../config-fields.ts";

export const grafanaConfig = z.strictObject({
  image: image("grafana/grafana:12.4.4"),
  port: port(3000, "Grafana"),
  memoryMiB: memory(512, 256),
  cpus: cpus(0.5),
});

export type GrafanaSettings = z.infer<typeof grafanaConfig>;
