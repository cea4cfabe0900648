import { z } from "zod";
import { cpus, port, untestedMemory } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

export const ingestConfig = serviceConfig({
  settings: z.strictObject({
    port: port(9110, "`pipeline ingest` (`/metrics`, `/healthz`)"),
    memoryMiB: untestedMemory(1024, 512),
    cpus: cpus(1),
  }),
  deployedWith: "database.ingest=service",
});

export type IngestConfig = z.infer<typeof ingestConfig.block>;
