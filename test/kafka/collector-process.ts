import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../support/ports.ts";
import { waitFor } from "./harness.ts";
import { exitOf, kill9 } from "./processes.ts";

const MAIN = join(import.meta.dirname, "../../cli/main.ts");

interface Settings {
  readonly bootstrap: string;
  /** Variables of the database. */
  readonly database: Readonly<Record<string, string>>;
  readonly journal: string;
  readonly options?: readonly string[];
}

/** A process of `pipeline collect`, as in a stack. */
export class CollectorProcess {
  readonly url: string;
  /** Host and port of the metrics. */
  readonly target: string;
  output = "";
  readonly #child: ChildProcess;

  private constructor(settings: Settings, port: number, metricsPort: number) {
    const { bootstrap, database, journal, options = [] } = settings;
    this.url = `http://127.0.0.1:${port}`;
    this.target = `127.0.0.1:${metricsPort}`;
    const ports = ["--port", `${port}`, "--metrics-port", `${metricsPort}`, "--rate", "10000"];
    this.#child = spawn(
      process.execPath,
      [MAIN, "collect", "--journal", journal, ...ports, ...options],
      {
        env: { ...process.env, ...database, KAFKA_BOOTSTRAP_SERVERS: bootstrap },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (data: Buffer) => {
        this.output += data.toString();
      });
    }
  }

  static async start(settings: Settings): Promise<CollectorProcess> {
    const collector = new CollectorProcess(settings, await freePort(), await freePort());
    await waitFor("the collector listens", async () => {
      if (collector.#child.exitCode !== null) throw new Error(collector.output);
      return collector.output.includes("Collecting");
    });
    return collector;
  }

  /** Sends a hit of the snippet; returns the status, 0 without an answer. */
  async send(hit: object): Promise<number> {
    const body = JSON.stringify({ site: "shop", type: "pageview", url: "/home", ...hit });
    const answer = fetch(`${this.url}/hit`, { method: "POST", body });
    return answer.then(
      ({ status }) => status,
      () => 0,
    );
  }

  async metric(name: string): Promise<number> {
    const text = await (await fetch(`http://${this.target}/metrics`)).text();
    const line = text.split("\n").find((one) => one.startsWith(`${name} `));
    return Number(line?.split(" ")[1]);
  }

  kill(): Promise<void> {
    return kill9(this.#child);
  }

  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return exitOf(this.#child);
  }
}
