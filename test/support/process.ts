import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

/** Running processes, which the tests end at the latest with themselves. */
const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** A script of the project in a process of its own. */
export class ScriptProcess {
  /** Output so far. */
  output = "";
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #closed: Promise<unknown>;

  constructor(args: readonly string[], env: Readonly<NodeJS.ProcessEnv> = process.env) {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
    children.add(child);
    this.#closed = once(child, "close").finally(() => children.delete(child));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
    this.#child = child;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Null while the process runs, or if a signal ended it. */
  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  /** Waits until the output matches. @throws Error with the output if the process ends before */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found) return found;
      if (!this.isRunning) throw new Error(`ended before it printed ${pattern}:\n${this.output}`);
      const { stdout, stderr } = this.#child;
      await Promise.race([this.#closed, once(stdout, "data"), once(stderr, "data")]);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Waits for the end, and returns the exit code. */
  async exit(): Promise<number | null> {
    await this.#closed;
    return this.exitCode;
  }

  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.signal(signal);
    return this.exit();
  }

  async kill9(): Promise<void> {
    this.signal("SIGKILL");
    await this.exit();
  }
}
