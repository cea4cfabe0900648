import { serve } from "./configuration.ts";
import type { Control, Ports } from "./control.ts";
import { endNow, startSession } from "./library.ts";

export interface Task {
  readonly library: string;
  /** Directory of the tables. */
  readonly directory: string;
  /** ClickHouse's main configuration file. */
  readonly configuration: string;
}

export interface Run {
  /** Undefined if the engine has ended before it listened. */
  readonly ports: Ports | undefined;
  readonly ended: Promise<void>;
}

/** Runs ClickHouse's server in this process, and returns once it listens. */
export async function runServer(
  { library, directory, configuration }: Task,
  control: Control,
): Promise<Run> {
  const { ended, onBegin } = await startSession(
    library,
    ["--path", directory, "--config-file", configuration],
    serve(control.url),
  );
  void control.loggedIn.then(onBegin);
  return { ports: (await Promise.race([control.ports, ended])) ?? undefined, ended };
}

/** Ends the engine in order; then, after a time, the process. */
export function endServer(control: Control, graceMs: number): void {
  control.end();
  // The engine waits longer for idle connections. Its tables survive a kill.
  setTimeout(() => void endNow(), graceMs).unref();
}
