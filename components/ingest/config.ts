import { z } from "zod";
import { cpus, memory, nodeImage, port } from "../config-fields.ts";

export const ingestConfig = z.strictObject({
  image: nodeImage(),
  port: port(9110, "`pipeline ingest` (`/metrics`, `/healthz`)"),
  memoryMiB: memory(1024, 512),
  cpus: cpus(1),
});

export type IngestSettings = z.infer<typeof ingestConfig>;
