import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { CLI, cleanEnvironment } from "./cli.ts";

export interface CollectorProcess {
  readonly output: () => string;
  /** Ends the process by a signal. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts the collector of a directory, and waits until it answers. */
export async function startCollector(directory: string, port: number): Promise<CollectorProcess> {
  const args = ["collect", "--port", `${port}`, "--database", directory];
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: cleanEnvironment(),
  });
  children.add(child);
  const closed = once(child, "close").finally(() => children.delete(child));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  while (!text.includes("Collecting")) {
    const [code] = await Promise.race([once(child.stdout, "data"), closed]);
    if (typeof code === "number") throw new Error(`the collector ended: ${text}`);
  }
  return {
    output: () => text,
    async end(signal) {
      child.kill(signal);
      await closed;
    },
  };
}
