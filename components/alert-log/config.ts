import { z } from "zod";
import { cpus, untestedMemory } from "../shared/config-fields.ts";
import { serviceConfig } from "../shared/service-config.ts";

export const alertLogConfig = serviceConfig({
  settings: z.strictObject({
    memoryMiB: untestedMemory(96, 64),
    cpus: cpus(0.2),
  }),
  deployedWith: "metrics.enabled",
});

export type AlertLogConfig = z.infer<typeof alertLogConfig.block>;
