import { exception, type ServerException } from "./errors.ts";

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;
/** Time for a killed statement to end, ms; one that waits for a network may take longer. */
const GRACE_MS = 2_000;

export class RunningStatement {
  readonly token: string;
  /** Resolves when the statement has ended or was abandoned. */
  readonly released: Promise<void>;
  readonly #kill: () => void;
  readonly #reads: boolean;
  readonly #release: () => void;
  #stopped = false;
  #ended = false;
  #givenUp = false;
  #giveUp: (() => void) | undefined;
  #timers: NodeJS.Timeout[] = [];
  #left: Promise<void> | undefined;

  /** Tracks a statement. @param kill sends one KILL for `token` */
  constructor(token: string, reads: boolean, kill: () => void) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.token = token;
    this.released = promise;
    this.#reads = reads;
    this.#release = resolve;
    this.#kill = kill;
  }

  get left(): Promise<void> | undefined {
    return this.#left;
  }

  /** Stops the statement; repeats the KILL, which has no effect before the statement starts. */
  stop(): void {
    if (this.#stopped || this.#ended) return;
    this.#stopped = true;
    this.#killAgain(FIRST_PAUSE_MS);
    // A writing statement is not abandoned, because the client must learn the result.
    if (this.#reads) this.#timers[1] = setTimeout(() => this.#leaveBehind(), GRACE_MS).unref();
  }

  end(): void {
    if (this.#left) void this.#left.then(() => this.#finish());
    else this.#finish();
  }

  /** Yields results. Throws QUERY_WAS_CANCELLED if a stopped statement does not end in time. */
  async *steps<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (let step = await this.#next(source); !step.done; step = await this.#next(source)) {
        yield step.value;
      }
    } finally {
      if (!this.#left) await source.return(undefined);
    }
  }

  async #next<T>(source: AsyncGenerator<T>): Promise<IteratorResult<T>> {
    if (this.#givenUp) throw cancelled();
    return await this.#step(source).finally(() => {
      this.#giveUp = undefined;
    });
  }

  #step<T>(source: AsyncGenerator<T>): Promise<IteratorResult<T>> {
    return new Promise((resolve, reject) => {
      const step = source.next();
      this.#giveUp = () => {
        this.#left = endOf(source, step);
        reject(cancelled());
      };
      step.then(resolve, reject);
    });
  }

  #leaveBehind(): void {
    this.#givenUp = true;
    this.#giveUp?.();
    this.#release();
  }

  #killAgain(pauseMs: number): void {
    this.#kill();
    const next = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    this.#timers[0] = setTimeout(() => this.#killAgain(next), pauseMs).unref();
  }

  #finish(): void {
    this.#ended = true;
    this.#release();
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

async function endOf(source: AsyncGenerator, step: Promise<unknown>): Promise<void> {
  await step.catch(() => undefined);
  await source.return(undefined).catch(() => undefined);
}

const cancelled = (): ServerException => exception("QUERY_WAS_CANCELLED", "Query was cancelled");
