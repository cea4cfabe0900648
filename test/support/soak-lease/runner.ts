import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LeaseOptions } from "../../../warehouse/batch/lease.ts";

export interface Task {
  readonly kind: "full" | "incremental" | "clear";
  readonly lease: LeaseOptions;
  /** Sent by the process to itself. */
  readonly signal?: {
    readonly name: "SIGSTOP" | "SIGKILL";
    /** Counted from 1 over the whole run. */
    readonly beforeStatement: number;
  };
}

export interface Outcome {
  /**
   * gate: it refused what another run had changed; lost: another run took its lease; empty: stg had no
   * rows; killed: by a signal; failed: nothing of these.
   */
  readonly kind: "done" | "gate" | "lost" | "empty" | "killed" | "failed";
  readonly message: string;
}

const PROCESS = join(import.meta.dirname, "runner-process.ts");

/** A process that writes the layers, which signals may stop, continue and kill. */
export class Runner {
  /** Of its process; it is in the owner of its leases. */
  readonly pid: number;
  /** Resolves when the process stops itself; never where its task does not say so. */
  readonly stopped: Promise<void>;
  readonly outcome: Promise<Outcome>;
  readonly #child: ChildProcess;

  constructor(url: string, task: Task) {
    this.#child = spawn(process.execPath, [PROCESS, url, JSON.stringify(task)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.pid = this.#child.pid ?? 0;
    const stopped = Promise.withResolvers<void>();
    this.stopped = stopped.promise;
    this.outcome = this.#watch(stopped.resolve);
  }

  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
    this.#child.kill(name);
  }

  async #watch(onStopped: () => void): Promise<Outcome> {
    let last: Outcome = { kind: "failed", message: "it ended without a word" };
    const { stdout } = this.#child;
    if (!stdout) throw new Error("a runner without output");
    createInterface({ input: stdout }).on("line", (line) => {
      if (line.startsWith("SIGSTOP")) onStopped();
      if (line.startsWith("ended ")) last = JSON.parse(line.slice("ended ".length)) as Outcome;
    });
    const [, signal] = (await once(this.#child, "close")) as [number | null, string | null];
    return signal === "SIGKILL" ? { kind: "killed", message: "" } : last;
  }
}
