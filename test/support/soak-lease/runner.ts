import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LeaseOptions } from "../../../warehouse/batch/lease.ts";
import type { ServerAddress } from "../../../warehouse/database/http.ts";

export interface Task {
  readonly kind: "full" | "incremental" | "clear";
  readonly lease: LeaseOptions;
  /** The signal that the process sends to itself. */
  readonly signal?: {
    readonly name: "SIGSTOP" | "SIGKILL";
    /** Counted from 1 over the whole run. */
    readonly beforeStatement: number;
  };
}

export interface Outcome {
  /**
   * Kind of the end. gate: a change of another run failed the gate; lost: another run took over the
   * lease; empty: stg had no rows; killed: by a signal; failed: another error.
   */
  readonly kind: "done" | "gate" | "lost" | "empty" | "killed" | "failed";
  readonly message: string;
}

const PROCESS = join(import.meta.dirname, "runner-process.ts");

/** A process that writes the layers, which signals can stop, resume and kill. */
export class Runner {
  /** Process id, which is part of the lease owner. */
  readonly pid: number;
  /** Promise that resolves when the process stops itself; never for a task without a signal. */
  readonly stopped: Promise<void>;
  readonly outcome: Promise<Outcome>;
  readonly #child: ChildProcess;

  constructor({ url, user, password }: ServerAddress, task: Task) {
    const address = JSON.stringify({ url, user, password });
    this.#child = spawn(process.execPath, [PROCESS, address, JSON.stringify(task)], {
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
    let last: Outcome = { kind: "failed", message: "the process ended without a result" };
    const { stdout } = this.#child;
    if (!stdout) throw new Error("the runner has no output");
    createInterface({ input: stdout }).on("line", (line) => {
      if (line.startsWith("SIGSTOP")) onStopped();
      if (line.startsWith("ended ")) last = JSON.parse(line.slice("ended ".length)) as Outcome;
    });
    const [, signal] = (await once(this.#child, "close")) as [number | null, string | null];
    return signal === "SIGKILL" ? { kind: "killed", message: "" } : last;
  }
}
