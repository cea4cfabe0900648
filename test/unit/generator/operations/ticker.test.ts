import { expect, it } from "vitest";
import { Ticker } from "../../../../generator/operations/ticker.ts";

const never = new AbortController().signal;

it("keeps to its grid: small delays never add up", async () => {
  const start = performance.now();
  const ticker = new Ticker(20);
  const late: number[] = [];
  for (let tick = 0; tick < 15; tick += 1) {
    await ticker.next(never);
    late.push(performance.now() - start - tick * 20);
    const busyUntil = performance.now() + 10;
    while (performance.now() < busyUntil);
  }
  // Waits that counted from the end of the work would be 150 ms late by now.
  expect(Math.min(...late.slice(-3))).toBeLessThan(60);
});

it("makes up for a short delay and leaves a long one behind", async () => {
  let now = 0;
  const ticker = new Ticker(100, () => now);
  await ticker.next(never);
  now = 550;
  let made = 0;
  for (; made < 20; made += 1) {
    const before = now;
    const aborted = AbortSignal.timeout(5);
    if (!(await ticker.next(aborted)) || before !== now) break;
  }
  expect(made).toBe(5);
  now = 1_000_000;
  made = 0;
  for (; made < 20; made += 1) if (!(await ticker.next(AbortSignal.timeout(5)))) break;
  expect(made).toBe(1);
});

it("ends its wait when it is asked to stop", async () => {
  const ticker = new Ticker(60_000);
  await ticker.next(never);
  const start = performance.now();
  expect(await ticker.next(AbortSignal.timeout(20))).toBe(false);
  expect(performance.now() - start).toBeLessThan(5_000);
});
