import { setTimeout as sleep } from "node:timers/promises";

/** Lateness that is made up for by shorter waits; more is left behind. */
const MADE_UP_TICKS = 10;

/** Time that goes on by itself and can be waited for, milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or as soon as the signal is given. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};

/**
 * Ticks on a fixed grid of time: waits count from the grid, so that small delays never add up.
 * After a longer delay (an outage, a sleeping machine) a new grid begins at once.
 */
export class Ticker {
  readonly #period: number;
  readonly #clock: Clock;
  #due: number | undefined;

  /** `period`: milliseconds. */
  constructor(period: number, clock: Clock = realClock) {
    this.#period = period;
    this.#clock = clock;
  }

  /** Resolves at the next tick, the first time at once; false as soon as the signal is given. */
  async next(signal: AbortSignal): Promise<boolean> {
    const now = this.#clock.now();
    const due = this.#due ?? now;
    const start = now - due > MADE_UP_TICKS * this.#period ? now : due;
    this.#due = start + this.#period;
    if (start > now) await this.#clock.sleep(start - now, signal);
    return !signal.aborted;
  }
}
