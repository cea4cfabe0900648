import { setTimeout as sleep } from "node:timers/promises";

/** Lateness that is made up for by shorter waits; more is left behind. */
const MADE_UP_TICKS = 10;

/**
 * Ticks on a fixed grid of time: waits count from the grid, so that small delays never add up.
 * After a longer delay (an outage, a sleeping machine) a new grid begins at once.
 */
export class Ticker {
  readonly #period: number;
  readonly #now: () => number;
  #due: number | undefined;

  /** `period`: milliseconds. */
  constructor(period: number, now: () => number = () => performance.now()) {
    this.#period = period;
    this.#now = now;
  }

  /** Resolves at the next tick, the first time at once; false as soon as the signal is given. */
  async next(signal: AbortSignal): Promise<boolean> {
    const now = this.#now();
    const due = this.#due ?? now;
    const start = now - due > MADE_UP_TICKS * this.#period ? now : due;
    this.#due = start + this.#period;
    if (start > now) await sleep(start - now, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }
}
