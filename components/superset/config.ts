import { z } from "zod";
import { cpus, image, memory, port } from "../config-fields.ts";

export const supersetConfig = z.strictObject({
  image: image("apache/superset:6.1.0"),
  port: port(8088, "Superset"),
  memoryMiB: memory(512, 320),
  cpus: cpus(1),
});

export type SupersetSettings = z.infer<typeof supersetConfig>;
