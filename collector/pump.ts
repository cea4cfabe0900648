import { setTimeout as sleep } from "node:timers/promises";
import type { Journal, Segment } from "./journal.ts";

/** Time between two deliveries; it bounds how old a hit is when it arrives. */
const EVERY_MS = 1000;
/** Longest time until a delivery that fails is repeated; it doubles with each failure. */
const LONGEST_MS = 30_000;

export interface PumpOptions {
  readonly journal: Journal;
  readonly deliver: (segment: Segment) => Promise<void>;
  /** Called after files were delivered. */
  readonly onDelivered: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Delivers the journal, file by file, until it is stopped. A file that fails is delivered again. */
export class Pump {
  /** Why the last delivery failed. */
  failure: string | undefined;
  readonly #options: PumpOptions;
  readonly #stop = new AbortController();
  #work: Promise<void> = Promise.resolve();
  readonly #loop: Promise<void>;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  /** Delivers what is stored now. */
  flush(): Promise<void> {
    const end = this.#options.journal.end;
    this.#work = this.#work.catch(() => undefined).then(() => this.#deliverUntil(end));
    return this.#work;
  }

  /** Ends after a last delivery; what it leaves waits for the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await this.#try();
  }

  async #deliverUntil(end: number): Promise<void> {
    const { journal, deliver, onDelivered } = this.#options;
    while (journal.begin < end) {
      const segment = await journal.oldest();
      if (segment === undefined) return;
      await deliver(segment);
      journal.delivered(segment);
      onDelivered();
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let wait = EVERY_MS;
    while (!signal.aborted) {
      wait = (await this.#try()) ? EVERY_MS : Math.min(wait * 2, LONGEST_MS);
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns true if nothing waits any more */
  async #try(): Promise<boolean> {
    try {
      await this.flush();
      this.failure = undefined;
      return true;
    } catch (error) {
      this.failure = (error as Error).message;
      this.#options.onFailure(error);
      return false;
    }
  }
}
