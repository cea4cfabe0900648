import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const FORMAT = "{{.TimeNano}} {{.Actor.Attributes.name}} {{.Action}}";
const FILTERS = ["--filter", "type=container", "--filter", "event=health_status"];
/** Longest wait for the report of an event, milliseconds. */
const DELIVERED_MS = 5_000;

/**
 * Records when the container engine finds containers healthy; Compose and Pulumi learn it later.
 */
export class HealthWatch {
  readonly #since = Date.now();
  readonly #events: ChildProcess;
  /** Milliseconds since 1970, by the container's name. */
  readonly #healthy = new Map<string, number>();

  constructor() {
    const args = ["events", ...FILTERS, "--format", FORMAT];
    this.#events = spawn("docker", args, { stdio: ["ignore", "pipe", "inherit"] });
    const { stdout } = this.#events;
    if (stdout) createInterface(stdout).on("line", (line) => this.#note(line));
  }

  #note(line: string): void {
    const [nanoseconds = "", name = "", ...action] = line.split(" ");
    const isHealthy = action.join(" ") === "health_status: healthy";
    if (isHealthy) this.#healthy.set(name, Number(nanoseconds) / 1e6);
  }

  /**
   * @param names of containers that are healthy by now
   * @returns seconds from the watch's beginning until the last of them was healthy
   * @throws Error if the engine has not reported one of them
   */
  async end(names: readonly string[]): Promise<number> {
    try {
      const missing = () => names.filter((name) => !this.#healthy.has(name));
      for (const deadline = Date.now() + DELIVERED_MS; missing().length > 0; await sleep(50)) {
        if (Date.now() > deadline) throw new Error(`Never healthy: ${missing().join(", ")}`);
      }
      const moments = names.map((name) => this.#healthy.get(name) ?? Number.NaN);
      return (Math.max(...moments) - this.#since) / 1000;
    } finally {
      this.#events.kill();
    }
  }
}
