import { setTimeout as sleep } from "node:timers/promises";
import { announcement } from "../../contract/source.ts";
import { withStoredStart } from "../fingerprint.ts";
import { tickMicros } from "../model/config.ts";
import { GeneratorRun } from "../run.ts";
import { type Outcome, recordOf, runAsWriter, type StepContext, type Takeover } from "./context.ts";
import { requireState } from "./record.ts";

/** Generates live events from the record's model time, so that a pause leaves no gap. */
export const liveStep = (context: StepContext): Promise<Outcome> =>
  runAsWriter(context, (taken) => follow(context, taken));

async function follow(
  { config, chosen, donors, watcher, signal }: StepContext,
  { publisher, record }: Takeover,
): Promise<Outcome> {
  const from = requireState(record);
  const run = new GeneratorRun(from ? withStoredStart(config, from) : config, donors, from);
  watcher.advanced(run);
  const tick = tickMicros(config);
  const ticker = new Ticker(config.tickSeconds * 1000);
  let batches = record?.batches ?? 0;
  while (await ticker.next(signal)) {
    const start = performance.now();
    batches += 1;
    const batch = run.advance(run.modelTime + tick);
    watcher.advanced(run);
    await publisher.send({
      batch,
      record: recordOf(
        run,
        { config, chosen },
        {
          phase: "live",
          batches,
          t_end_us: record?.t_end_us ?? null,
          checksum: record?.checksum ?? null,
        },
      ),
      ...(batches === 1 ? { source: announcement } : {}),
    });
    watcher.ticked((performance.now() - start) / 1000);
  }
  return "stopped";
}

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
