const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const ENDED_BY_SIGNAL = 130;

/**
 * Lets work that has broken something end in order: at Ctrl+C its signal is aborted, and it is waited
 * for. A second one ends the process at once.
 */
export async function untilCutOff<T>(
  work: (signal: AbortSignal) => Promise<T>,
  tell: (line: string) => void,
): Promise<T> {
  const controller = new AbortController();
  const cutOff = (): void => {
    if (controller.signal.aborted) process.exit(ENDED_BY_SIGNAL);
    tell("Cut off: what is broken is healed first; once more ends at once.");
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, cutOff);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, cutOff);
  }
}
