import { z } from "zod";
import { cpus, nodeImage, untestedMemory } from "../config-fields.ts";

export const alertLogConfig = z
  .strictObject({
    image: nodeImage(),
    memoryMiB: untestedMemory(96, 64),
    cpus: cpus(0.2),
  })
  .prefault({});
