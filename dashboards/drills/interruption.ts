const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const ENDED_BY_SIGNAL = 130;

/** Runs `work`; Ctrl+C aborts the signal and waits, a second Ctrl+C exits immediately. */
export async function runInterruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  print: (line: string) => void,
): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(ENDED_BY_SIGNAL);
    print("Interrupted: restoring services. Press Ctrl+C again to exit now.");
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
