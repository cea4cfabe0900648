import { setTimeout as sleep } from "node:timers/promises";

/** Largest delay that shorter waits compensate for, ticks. */
const MADE_UP_TICKS = 10;

/** Monotonic clock, ms. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};

/** Ticker on a fixed grid, so that small delays do not add up; a long delay starts a new grid. */
export class Ticker {
  readonly #period: number;
  readonly #clock: Clock;
  #due: number | undefined;

  constructor(period: number, clock: Clock = realClock) {
    this.#period = period;
    this.#clock = clock;
  }

  /** Waits for the next tick; the first is immediate. @returns false when the signal aborts */
  async next(signal: AbortSignal): Promise<boolean> {
    const now = this.#clock.now();
    const due = this.#due ?? now;
    const start = now - due > MADE_UP_TICKS * this.#period ? now : due;
    this.#due = start + this.#period;
    if (start > now) await this.#clock.sleep(start - now, signal);
    return !signal.aborted;
  }
}
