import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  compileGo,
  type GoModule,
  prometheusModule,
  statsdModule,
} from "../../images/offline/go.ts";

/** Programs in the stack's versions, compiled once into the user's cache folder. */
export const tools = {
  prometheus: () => program("prometheus", prometheusModule, "cmd/prometheus"),
  promtool: () => program("promtool", prometheusModule, "cmd/promtool"),
  statsdExporter: () => program("statsd_exporter", statsdModule),
} as const;

function program(name: string, module: GoModule, command = ""): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "event-pipeline-stack", "go-tools", module.version);
  const file = join(folder, name);
  if (!existsSync(file)) compileGo(folder, module, command);
  return file;
}
