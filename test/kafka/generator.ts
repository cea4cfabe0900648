import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { GeneratorAddress } from "../../generator/client/http-client.ts";

const MAIN = join(import.meta.dirname, "../../generator/service/main.ts");
const LISTENING_WITHIN_MS = 180_000;
export const GENERATOR_TOKEN = "a-token-for-tests-only";

/** Running generators, which the tests stop at the end. */
const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** The generator's service in a process of its own. */
export class GeneratorProcess {
  readonly child: ChildProcess;
  #output = "";
  #url = "";

  constructor(bootstrap: string, env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [MAIN], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        KAFKA_BOOTSTRAP_SERVERS: bootstrap,
        GENERATOR_HTTP_HOST: "127.0.0.1",
        GENERATOR_HTTP_PORT: "0",
        GENERATOR_INSTANCE: "test",
        CONTROL_TOKEN: GENERATOR_TOKEN,
        GEN_DATA_DIR: "/nonexistent",
        ...env,
      },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#output += chunk;
      });
    }
    children.add(this.child);
    this.child.once("exit", () => children.delete(this.child));
  }

  /** Address for the pipeline's commands. */
  get address(): GeneratorAddress {
    return { url: this.#url, token: GENERATOR_TOKEN };
  }

  /** Output so far. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when the HTTP server answers. */
  async listening(): Promise<this> {
    for (
      const deadline = Date.now() + LISTENING_WITHIN_MS;
      Date.now() < deadline;
      await sleep(20)
    ) {
      const port = /"port":(\d+)/.exec(this.#output)?.[1];
      if (port) this.#url = `http://127.0.0.1:${port}`;
      if (port) return this;
      if (this.hasExited) break;
    }
    throw new Error(`The generator does not listen:\n${this.#output}`);
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

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Exit code, or null if a signal ended the process. */
  async exit(): Promise<number | null> {
    if (!this.hasExited) await once(this.child, "exit");
    return this.child.exitCode;
  }

  async stop(): Promise<number | null> {
    this.child.kill("SIGTERM");
    return this.exit();
  }

  async kill9(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exit();
  }
}
