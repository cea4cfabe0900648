import { CLI } from "../support/cli.ts";
import { freePort } from "../support/ports.ts";
import { ScriptProcess } from "../support/process.ts";

interface Settings {
  readonly bootstrap: string;
  /** Variables of the database. */
  readonly database: Readonly<Record<string, string>>;
  readonly journal: string;
  readonly options?: readonly string[];
}

/** A process of `pipeline collect`, as in a stack. */
export class CollectorProcess extends ScriptProcess {
  readonly url: string;
  /** Host and port of the metrics. */
  readonly target: string;

  private constructor(settings: Settings, port: number, metricsPort: number) {
    const { bootstrap, database, journal, options = [] } = settings;
    const ports = ["--port", `${port}`, "--metrics-port", `${metricsPort}`, "--rate", "10000"];
    super([CLI, "collect", "--journal", journal, ...ports, ...options], {
      ...process.env,
      ...database,
      KAFKA_BOOTSTRAP_SERVERS: bootstrap,
    });
    this.url = `http://127.0.0.1:${port}`;
    this.target = `127.0.0.1:${metricsPort}`;
  }

  static async start(settings: Settings): Promise<CollectorProcess> {
    const collector = new CollectorProcess(settings, await freePort(), await freePort());
    await collector.printed(/Collecting/);
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
}
