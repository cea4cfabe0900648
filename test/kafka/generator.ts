import { join } from "node:path";
import type { GeneratorAddress } from "../../generator/client/http-client.ts";
import { ScriptProcess } from "../support/process.ts";

const MAIN = join(import.meta.dirname, "../../generator/service/main.ts");
export const GENERATOR_TOKEN = "a-token-for-tests-only";

/** A speed with ten model minutes per tick and ten ticks per second. */
export const FAST = {
  GEN_MODEL_TIME_SPEED: "6000",
  GEN_TICK_SECONDS: "0.1",
  GEN_MAX_EVENTS_PER_TICK: "10000",
};

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** The generator's service in a process of its own. */
export class GeneratorProcess extends ScriptProcess {
  #url = "";

  constructor(bootstrap: string, env: Readonly<Record<string, string>>) {
    super([MAIN], {
      PATH: process.env.PATH,
      KAFKA_BOOTSTRAP_SERVERS: bootstrap,
      GENERATOR_HTTP_HOST: "127.0.0.1",
      GENERATOR_HTTP_PORT: "0",
      GENERATOR_INSTANCE: "test",
      CONTROL_TOKEN: GENERATOR_TOKEN,
      GEN_DATA_DIR: "/nonexistent",
      ...env,
    });
  }

  /** Address for the pipeline's commands. */
  get address(): GeneratorAddress {
    return { url: this.#url, token: GENERATOR_TOKEN };
  }

  /** Resolves when the HTTP server answers. */
  async listening(): Promise<this> {
    const [, port] = await this.printed(/"port":(\d+)/);
    this.#url = `http://127.0.0.1:${port}`;
    return this;
  }

  /** `host:port` of its HTTP server. */
  get target(): string {
    return this.#url.replace("http://", "");
  }

  async get(path: string): Promise<Reply> {
    const response = await fetch(`${this.#url}${path}`);
    return { status: response.status, body: (await response.json()) as Reply["body"] };
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.#url}/metrics`)).text();
  }

  async control(body: object, token = GENERATOR_TOKEN): Promise<Reply> {
    const response = await fetch(`${this.#url}/control`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Reply["body"] };
  }

  /** Kind of its status, e.g. `running`. */
  async kind(): Promise<string> {
    return ((await this.get("/status")).body.state as { kind: string }).kind;
  }
}
