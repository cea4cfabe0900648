import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryUse } from "./memory-use.ts";

/** The most that was in use while something went on. */
export interface MemoryPeak {
  /** All containers together at one moment, MiB. */
  readonly total: number;
  /** Each by itself, greatest first: their peaks need not be of one moment. */
  readonly services: readonly MemoryUse[];
}

interface MemoryWatch {
  /** Ends watching. Where the engine did not tell, nothing was in use. */
  stop(): Promise<MemoryPeak>;
}

/** Between two looks, ms; an engine may take a second or two to answer one. */
const INTERVAL_MS = 1_000;

/**
 * Looks again and again until it is stopped, at least once. Nobody waits for the last answer where
 * there was one before: what starts within a step runs for some seconds before it is healthy.
 */
export function watchMemory(look: (signal: AbortSignal) => Promise<MemoryUse[]>): MemoryWatch {
  const samples: (readonly MemoryUse[])[] = [];
  const stopped = new AbortController();
  const sample = async (): Promise<unknown> =>
    samples.push(await look(stopped.signal).catch(() => []));
  const first = sample();
  void (async () => {
    await first;
    while (!stopped.signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
      if (!stopped.signal.aborted) await sample();
    }
  })();
  return {
    async stop() {
      await first;
      stopped.abort();
      return peakOf(samples);
    },
  };
}

/** Peaks of several looks at the same containers. */
export function peakOf(samples: readonly (readonly MemoryUse[])[]): MemoryPeak {
  const services = new Map<string, MemoryUse>();
  for (const use of samples.flat()) {
    if (use.used >= (services.get(use.service)?.used ?? 0)) services.set(use.service, use);
  }
  return {
    total: Math.max(0, ...samples.map(totalUsed)),
    services: [...services.values()].sort((a, b) => b.used - a.used),
  };
}

const totalUsed = (services: readonly MemoryUse[]): number =>
  services.reduce((sum, { used }) => sum + used, 0);
