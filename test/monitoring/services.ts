import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../support/ports.ts";

const READY_WITHIN_MS = 180_000;

/** A program with its own folder, like a service of the stack. */
export class TestService {
  readonly url: string;
  readonly folder: string;
  readonly process: ChildProcess;
  #output = "";

  private constructor(folder: string, url: string, child: ChildProcess) {
    this.folder = folder;
    this.url = url;
    this.process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#output += chunk;
      });
    }
    process.once("exit", () => child.kill("SIGKILL"));
  }

  /** Starts on the given port or a free one and waits until `path` answers. */
  static async start(
    program: string,
    path: string,
    files: Readonly<Record<string, string>>,
    args: (folder: string, port: number) => readonly string[],
    fixedPort?: number,
    environment: NodeJS.ProcessEnv = process.env,
  ): Promise<TestService> {
    const folder = mkdtempSync(join(tmpdir(), "monitoring-"));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const port = fixedPort ?? (await freePort());
    const child = spawn(program, args(folder, port), {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: environment,
    });
    const service = new TestService(folder, `http://127.0.0.1:${port}`, child);
    await service.#waitForReadiness(path);
    return service;
  }

  async #waitForReadiness(path: string): Promise<void> {
    for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
      const answer = await fetch(`${this.url}${path}`).catch(() => undefined);
      if (answer?.ok) return;
      if (this.process.exitCode !== null) break;
    }
    throw new Error(`${this.process.spawnfile} is not ready:\n${this.#output}`);
  }

  /** Output so far. */
  get output(): string {
    return this.#output;
  }

  get target(): string {
    return this.url.replace("http://", "");
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const exited = once(this.process, "exit");
      this.process.kill("SIGTERM");
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
