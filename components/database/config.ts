import { z } from "zod";
import { cpus, memory, port, text, userName } from "../shared/config-fields.ts";
import { externalConfig } from "../shared/service-config.ts";

const databaseContainer = z.strictObject({
  mode: z.literal("container"),
  httpPort: port(9123),
  nativePort: port(8002),
  metricsPort: port(9126),
  memoryMiB: memory(4096, 1024),
  cpus: cpus(2),
});

const httpUrl = text("an address like https://host:8443", /^https?:\/\/[\w.-]+(:\d{1,5})?$/);

const databaseExternal = z.strictObject({
  mode: z.literal("external"),
  /** Address for containers. */
  url: httpUrl,
  /** Address for this machine, if it differs. */
  hostUrl: httpUrl.optional(),
  user: userName.default("default"),
});

/** ClickHouse: one server in a container, or an external one. */
export const databaseConfig = externalConfig({
  container: databaseContainer,
  external: databaseExternal,
  images: { database: "clickhouse/clickhouse-server:26.8.15.10" },
  secrets: {
    databasePassword: "ClickHouse user default (administrator)",
    biPassword: "ClickHouse user bi (reads the marts)",
    monitorPassword: "ClickHouse user monitor (state of the layers)",
  },
});
