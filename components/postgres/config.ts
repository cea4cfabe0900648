import { z } from "zod";
import { cpus, image, memory } from "../config-fields.ts";

export const postgresConfig = z
  .strictObject({
    image: image("postgres:17.6"),
    memoryMiB: memory(256, 128),
    cpus: cpus(1),
  })
  .prefault({});

export type PostgresSettings = z.infer<typeof postgresConfig>;
