import { CLI, cleanEnvironment } from "./cli.ts";
import { ScriptProcess } from "./process.ts";

/** Starts the collector of a directory, and waits until it answers. */
export async function startCollector(directory: string, port: number): Promise<ScriptProcess> {
  const args = ["collect", "--port", `${port}`, "--database", directory];
  const collector = new ScriptProcess([CLI, ...args], cleanEnvironment());
  await collector.printed(/Collecting/);
  return collector;
}
