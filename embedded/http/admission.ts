import { exception, type ServerException } from "./errors.ts";

interface QueuedQuery {
  readonly start: () => void;
  readonly refuse: (error: ServerException) => void;
}

/** Releases a slot at once, or after abandoned work has ended. */
export type ReleaseSlot = (leftBehind?: Promise<void>) => void;

export class Admission {
  readonly #limit: number;
  readonly #waiting = new Set<QueuedQuery>();
  #running = 0;
  #spare: number;
  #closed = false;

  constructor(limit: number, spare = 0) {
    this.#limit = limit;
    this.#spare = spare;
  }

  /** Waits for a slot and returns the release. Rejects on abort or after `timeoutMs`. */
  async enter(signal: AbortSignal, timeoutMs: number): Promise<ReleaseSlot> {
    if (signal.aborted) throw left();
    if (this.#closed) throw shutdownError();
    if (this.#running >= this.#limit) await this.#wait(signal, timeoutMs);
    else this.#running += 1;
    let done = false;
    return (leftBehind) => {
      if (done) return;
      done = true;
      if (leftBehind) this.#leaveBehind(leftBehind);
      else this.#leave();
    };
  }

  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.refuse(shutdownError());
  }

  #wait(signal: AbortSignal, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: ServerException): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#waiting.delete(entry);
        if (error) reject(error);
        else resolve();
      };
      const entry = { start: () => settle(), refuse: settle };
      const onAbort = (): void => settle(left());
      const timer = setTimeout(() => settle(this.#tooMany(timeoutMs)), timeoutMs);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(entry);
    });
  }

  /** Passes the slot to the first query in the queue, so that no later query gets it. */
  #leave(): void {
    const [first] = this.#waiting;
    if (first) first.start();
    else this.#running -= 1;
  }

  #leaveBehind(work: Promise<void>): void {
    if (this.#spare === 0) {
      void work.then(() => this.#leave());
      return;
    }
    this.#spare -= 1;
    this.#leave();
    void work.then(() => {
      this.#spare += 1;
    });
  }

  #tooMany(timeoutMs: number): ServerException {
    return exception(
      "TOO_MANY_SIMULTANEOUS_QUERIES",
      `Too many simultaneous queries. Maximum: ${this.#limit}. ` +
        `The query waited ${Math.round(timeoutMs / 1000)} s for a slot`,
    );
  }
}

const shutdownError = (): ServerException =>
  exception("ABORTED", "The HTTP interface is shutting down");

const left = (): ServerException =>
  exception("ABORTED", "The client closed the connection before its query started");
