import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const CLI = join(import.meta.dirname, "../../../cli/main.ts");

/** Runs `pipeline serve` in a separate process, so that a test can see it end. */
export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  #output = "";
  #ended: string | undefined;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    child.stderr?.on("data", (text: Buffer) => {
      this.#output = (this.#output + text).slice(-4000);
    });
    child.once("exit", (code, signal) => {
      this.#ended = `${signal ?? `code ${code}`}: ${this.#output}`;
    });
  }

  /** Writes data and temporary files to `directory`. */
  static async start(directory: string): Promise<ServerProcess> {
    const args = [CLI, "serve", "--port", "0", "--database", join(directory, "data")];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: directory, CLICKHOUSE_PASSWORD: "" },
    });
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    return new ServerProcess(child, line.split(" ")[0] ?? "");
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Exit code or signal and last output of a process that ended by itself. */
  get ended(): string | undefined {
    return this.#ended;
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#ended !== undefined) return;
    const exit = once(this.#child, "exit");
    this.#child.kill(signal);
    await exit;
  }
}
