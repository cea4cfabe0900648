import { BrokerError, reasonOf } from "../../kafka/errors.ts";

export interface Waits {
  /** Pause before the first repetition, doubled from one to the next, ms. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** How long it may go on without any success, ms. */
  readonly inAllMs: number;
}

/** A broker that is away for longer is a matter for somebody: the end is told, not waited for. */
export const WAITS: Waits = { firstMs: 200, longestMs: 5_000, inAllMs: 600_000 };

/** How long failures are borne: each success begins the time anew. */
export class Patience {
  readonly #mostMs: number;
  readonly #now: () => number;
  #since: number | undefined;

  /** `now`: monotonic clock, ms. */
  constructor(mostMs: number, now: () => number = () => performance.now()) {
    this.#mostMs = mostMs;
    this.#now = now;
  }

  succeeded(): void {
    this.#since = undefined;
  }

  /** @throws BrokerError when there was no success for too long */
  failed(cause: unknown): void {
    const time = this.#now();
    this.#since ??= time;
    const waited = time - this.#since;
    if (waited <= this.#mostMs) return;
    throw new BrokerError(
      `Kafka has taken no batch for ${Math.round(waited / 1000)} s, at most ${this.#mostMs / 1000} s are waited. The last reason: ${reasonOf(cause)}`,
      "make doctor tells what ails the broker; make generator-restart goes on from the stored state",
      cause,
    );
  }
}
