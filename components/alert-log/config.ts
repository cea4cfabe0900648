import { z } from "zod";
import { cpus, memory, nodeImage } from "../config-fields.ts";

export const alertLogConfig = z.strictObject({
  image: nodeImage(),
  memoryMiB: memory(96, 64),
  cpus: cpus(0.2),
});

export type AlertLogSettings = z.infer<typeof alertLogConfig>;
