import type { ServiceState } from "./service.ts";

/** Longest silence of a generator that works, milliseconds. */
const SILENCE_MS = 120_000;

export interface Health {
  readonly ok: boolean;
  readonly reason: string;
}

export interface HealthInput {
  readonly state: ServiceState;
  /** Wall time of the last committed batch, ms; null before the first. */
  readonly lastSuccess: number | null;
  /** Milliseconds between ticks. */
  readonly tickMs: number;
  readonly now: number;
}

/** Whether the generator does what it should: commits batches, or is still on purpose. */
export function healthOf({ state, lastSuccess, tickMs, now }: HealthInput): Health {
  if (state.kind !== "running") {
    const ok = state.kind !== "refused" && state.kind !== "failed";
    return { ok, reason: state.reason || state.kind };
  }
  const limit = Math.max(SILENCE_MS, 2 * tickMs);
  const silence = now - Math.max(state.since, lastSuccess ?? 0);
  const seconds = Math.round(silence / 1000);
  return silence <= limit
    ? { ok: true, reason: state.step ?? state.operation }
    : { ok: false, reason: `no batch was committed for ${seconds} s` };
}
