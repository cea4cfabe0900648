import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  compileGo,
  type GoModule,
  prometheusModule,
  statsdModule,
} from "../../images/offline/go.ts";
import { CACHE } from "../support/cache.ts";

/** Programs in the stack's versions, compiled once into the user's cache folder. */
export const tools = {
  prometheus: () => program("prometheus", prometheusModule, "cmd/prometheus"),
  promtool: () => program("promtool", prometheusModule, "cmd/promtool"),
  statsdExporter: () => program("statsd_exporter", statsdModule),
} as const;

function program(name: string, module: GoModule, command = ""): string {
  const folder = join(CACHE, "go-tools", module.version);
  const file = join(folder, name);
  if (!existsSync(file)) compileGo(folder, module, command);
  return file;
}
