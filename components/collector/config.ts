import { z } from "zod";
import { cpus, integer, memory, must, nodeImage, port, text } from "../config-fields.ts";

export const collectorConfig = z.strictObject({
  image: nodeImage(),
  port: port(9135, "the collector (hits, `/snippet.js`, the example shop, the last hits)"),
  origins: z
    .array(text("scheme and host, such as https://shop.example", /^https?:\/\/[^\s/]+$/), {
      error: must("a list of origins"),
    })
    .default([])
    .describe("Sites whose pages may send; pages of this machine always may"),
  sites: z
    .array(text("a name without spaces", /^\S+$/), { error: must("a list of names") })
    .default([])
    .describe("Sites whose hits are accepted; default: all"),
  address: z
    .enum(["full", "shortened", "none"], { error: must("full, shortened or none") })
    .default("shortened")
    .describe("How visitors' addresses are stored"),
  proxy: z
    .union([z.ipv4(), z.ipv6()], { error: must("an IP address") })
    .optional()
    .describe("Address of a proxy, whose header X-Forwarded-For names the visitor's address"),
  rate: integer(100, 1, 1_000_000).describe("Maximum requests per second from one address"),
  journalMb: integer(256, 1, 1_000_000).describe("Maximum size of hits that wait for Kafka, MB"),
  memoryMiB: memory(384, 256),
  cpus: cpus(1),
});

export type CollectorSettings = z.infer<typeof collectorConfig>;
