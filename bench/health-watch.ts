import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const FORMAT = "{{.TimeNano}} {{.Actor.Attributes.name}} {{.Action}}";
const FILTERS = ["--filter", "type=container", "--filter", "event=health_status"];
/** Longest wait for an event of the engine, ms. */
const DELIVERED_MS = 5_000;

/** Recorder of the times at which the Docker engine reports containers healthy. */
export class HealthWatch {
  readonly #since = Date.now();
  readonly #events: ChildProcess;
  /** Times of the first healthy report, ms since 1970, by container name. */
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

  /** Ends the recording. @returns seconds until all were healthy @throws Error if one was not */
  async end(names: readonly string[]): Promise<number> {
    try {
      const missing = () => names.filter((name) => !this.#healthy.has(name));
      for (const deadline = Date.now() + DELIVERED_MS; missing().length > 0; await sleep(50)) {
        if (Date.now() > deadline)
          throw new Error(`Containers were not healthy: ${missing().join(", ")}`);
      }
      const moments = names.map((name) => this.#healthy.get(name) ?? Number.NaN);
      return (Math.max(...moments) - this.#since) / 1000;
    } finally {
      this.#events.kill();
    }
  }
}
