import { beforeEach, expect, it } from "vitest";
import { type Clock, Ticker } from "../../../../generator/operations/live.ts";

const PERIOD = 100;
const never = new AbortController().signal;

/** A clock that advances only through the test or a wait. */
class FakeClock implements Clock {
  time = 0;
  /** Every timer of a busy machine fires this much too late. */
  lateness = 0;

  now(): number {
    return this.time;
  }

  async sleep(ms: number): Promise<void> {
    this.time += ms + this.lateness;
  }
}

let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});

/** Times of the next ticks; each is followed by `work` ms of work. */
async function ticks(ticker: Ticker, count: number, work = 0): Promise<number[]> {
  const times: number[] = [];
  for (let tick = 0; tick < count; tick += 1) {
    await ticker.next(never);
    times.push(clock.time);
    clock.time += work;
  }
  return times;
}

it("keeps its schedule: small delays never add up", async () => {
  clock.lateness = 7;
  const times = await ticks(new Ticker(PERIOD, clock), 1_000, 40);
  // Waits that counted from the end of the work would be 47 s late by now.
  expect(times).toEqual(times.map((_, tick) => tick * PERIOD + (tick === 0 ? 0 : 7)));
});

it("catches up after occasional work that takes longer than a tick", async () => {
  const ticker = new Ticker(PERIOD, clock);
  await ticker.next(never);
  clock.time += 550;
  expect(await ticks(ticker, 7)).toEqual([550, 550, 550, 550, 550, 600, 700]);
});

it("catches up after a delay of up to ten ticks, and skips a longer one", async () => {
  const ticker = new Ticker(PERIOD, clock);
  await ticker.next(never);
  clock.time = 11 * PERIOD;
  expect((await ticks(ticker, 12)).filter((time) => time === 11 * PERIOD)).toHaveLength(11);
  clock.time = 1_000_003;
  expect(await ticks(ticker, 3)).toEqual([1_000_003, 1_000_103, 1_000_203]);
});

it("ends its wait on a stop request", async () => {
  const ticker = new Ticker(3_600_000);
  await ticker.next(never);
  const stop = new AbortController();
  const tick = ticker.next(stop.signal);
  stop.abort();
  expect(await tick).toBe(false);
});
