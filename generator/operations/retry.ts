import { BrokerError, reasonOf } from "../../kafka/errors.ts";

export interface Waits {
  /** Pause before the first retry, doubled with each, ms. */
  readonly firstMs: number;
  readonly longestMs: number;
  readonly inAllMs: number;
}

/** Default waits: after ten minutes without the broker, the failure is reported. */
export const WAITS: Waits = { firstMs: 200, longestMs: 5_000, inAllMs: 600_000 };

export class RetryTimeout {
  readonly #mostMs: number;
  readonly #now: () => number;
  #since: number | undefined;

  constructor(mostMs: number, now: () => number = () => performance.now()) {
    this.#mostMs = mostMs;
    this.#now = now;
  }

  succeeded(): void {
    this.#since = undefined;
  }

  /** Records a failure. @throws BrokerError after too long without success */
  failed(cause: unknown): void {
    const time = this.#now();
    this.#since ??= time;
    const waited = time - this.#since;
    if (waited <= this.#mostMs) return;
    throw new BrokerError(
      `Kafka has accepted no batch for ${Math.round(waited / 1000)} s (limit: ${this.#mostMs / 1000} s). Last error: ${reasonOf(cause)}`,
      "run make doctor to diagnose the broker, then make generator-restart to resume",
      cause,
    );
  }
}
