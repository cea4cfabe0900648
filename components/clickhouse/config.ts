import { z } from "zod";
import {
  containerOrExternal,
  cpus,
  image,
  integer,
  memory,
  must,
  port,
  text,
  userName,
} from "../config-fields.ts";

const ingest = z
  .enum(["kafka-engine", "service"], { error: must("kafka-engine or service") })
  .default("kafka-engine")
  .describe("What stores the topics: ClickHouse's Kafka engine, or the service `ingest`");

const MOST_DAYS = 36_500;

/** How long layers keep a session after its last message, days of wall-clock time. */
const kept = {
  keepOdsDays: integer(0, 0, MOST_DAYS).describe(
    "Days that `ods` keeps the messages of a session after the last one; 0: for ever",
  ),
  keepMartsDays: integer(0, 0, MOST_DAYS).describe(
    "Days that `dds` and `dm` keep a session, at least those of `ods`; 0: for ever",
  ),
};

const container = z.strictObject({
  mode: z
    .literal("container")
    .optional()
    .default("container")
    .describe("One server in a container, or an external one"),
  image: image("clickhouse/clickhouse-server:26.8.15.10"),
  httpPort: port(9123, "ClickHouse's HTTP interface, with `/play`,"),
  nativePort: port(8002, "ClickHouse's native protocol", "tcp"),
  metricsPort: port(9126, "ClickHouse's metrics"),
  memoryMiB: memory(4096, 1024),
  cpus: cpus(2),
  ingest,
  ...kept,
  snapshotsKept: integer(7, 1, 1000).describe("Number of unnamed snapshots to keep"),
  snapshotsVolume: text("the name of a volume", /^[a-zA-Z0-9][\w.-]+$/)
    .optional()
    .describe("Volume of the snapshots, which no command deletes; default: one of the stack"),
});

const httpUrl = text("an address like https://host:8443", /^https?:\/\/[\w.-]+(:\d{1,5})?$/);

const external = z.strictObject({
  mode: z.literal("external"),
  url: httpUrl.describe("Address for containers; required for an external server"),
  hostUrl: httpUrl.optional().describe("Address for this machine, if it differs"),
  user: userName
    .default("default")
    .describe("User of the external server; the password is the secret `clickhousePassword`"),
  ingest,
  ...kept,
});

export const clickhouseConfig = containerOrExternal(container, external);

export type ClickHouseSettings = z.infer<typeof clickhouseConfig>;
