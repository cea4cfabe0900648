import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, parseMicros, SECOND } from "../../../contract/time.ts";
import { plainBehaviour } from "../../../generator/behaviour/plain.ts";
import type { ModelConfig } from "../../../generator/config.ts";
import { tickPlanner } from "../../../generator/model/budget.ts";
import { expectedSessionLength } from "../../../generator/model/pages.ts";
import { seededRng } from "../../../generator/model/random.ts";
import { shares } from "./scripted.ts";
import { configWith, donors } from "./support.ts";

const EVENING = parseMicros("2026-01-01T20:00:00Z");
const MIDDLE = [0.5, 0.5];
/** Two draws of zero: with a mean below 10 they give no session. */
const NONE = [0, 0];

const planner = (parts: Partial<ModelConfig>) => {
  const config = {
    ...configWith(),
    eventsPerMinute: 60,
    jitterPercent: 20,
    minEventsPerTick: 1,
    maxEventsPerTick: 100,
    maxSessionEvents: 1_000_000,
    ...parts,
  };
  return tickPlanner(config, plainBehaviour(config, donors));
};

describe("the budget of a tick", () => {
  const second = (parts: Partial<ModelConfig>, jitter: readonly number[], seconds: number) =>
    planner(parts).plan(shares(...jitter, ...NONE), EVENING, EVENING + seconds * SECOND);

  it.each([
    [[0, 0], 8],
    [MIDDLE, 10],
    [[0.75, 0], 11],
  ])("is the rate times the length, changed by up to the jitter: drawn %j", (jitter, budget) => {
    const tick = second({}, jitter, 10);
    expect(tick.budget).toBeCloseTo(budget, 6);
    expect(tick.clamped).toBe(false);
  });

  it("is exact without jitter", () => {
    expect(second({ jitterPercent: 0 }, [0, 0], 10).budget).toBe(10);
  });

  it("is limited to minimum and maximum, which counts as clamped", () => {
    const parts = { jitterPercent: 0, minEventsPerTick: 5, maxEventsPerTick: 8 };
    const tick = (seconds: number) => {
      const { budget, clamped } = second(parts, [0, 0], seconds);
      return { budget, clamped };
    };
    expect(tick(4)).toEqual({ budget: 5, clamped: true });
    expect(tick(5)).toEqual({ budget: 5, clamped: false });
    expect(tick(8)).toEqual({ budget: 8, clamped: false });
    expect(tick(9)).toEqual({ budget: 8, clamped: true });
  });

  it("follows the coefficient of the hour", () => {
    const night = parseMicros("2026-01-01T03:00:00Z");
    const plan = (start: number, seconds: number) =>
      planner({ jitterPercent: 0 }).plan(shares(0, 0, ...NONE), start, start + seconds * SECOND);
    expect(plan(night, 10).budget).toBeCloseTo(7, 9);
    // Five seconds of 0.7 and five of 1.0.
    expect(plan(night + 3 * HOUR - 5 * SECOND, 10).budget).toBeCloseTo(8.5, 9);
    expect(planner({}).coefficient(night)).toBe(0.7);
  });
});

describe("the session starts of a tick", () => {
  it("are the budget over the expected length of a session", () => {
    const rng = seededRng("births", "");
    const plan = planner({ maxSessionEvents: 2, maxEventsPerTick: 1e9, jitterPercent: 0 });
    const { starts } = plan.plan(rng, EVENING, EVENING + 2 * HOUR);
    const expected = 7200 / expectedSessionLength(2);
    expect(Math.abs(starts.length - expected)).toBeLessThan(5 * Math.sqrt(expected));
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  it("lie within the tick in proportion to the coefficient, in order", () => {
    // Fifteen minutes of 0.7 and fifteen of 1.0: seven seventeenths of the starts are in the first
    // half.
    const start = parseMicros("2026-01-01T05:45:00Z");
    const border = start + 15 * MINUTE;
    const end = border + 15 * MINUTE;
    const parts = { jitterPercent: 0, eventsPerMinute: 1, minEventsPerTick: 0 };
    const place = (share: number) => {
      // The draw is just above the probability of none, e^-9, so one session starts.
      const one = 2e-4;
      const rng = shares(0, 0, one, one, share, share);
      const { starts } = planner({ ...parts, maxEventsPerTick: 9, maxSessionEvents: 1 }).plan(
        rng,
        start,
        end,
      );
      return starts;
    };
    const at = (share: number) => place(share)[0] ?? Number.NaN;
    expect(place(0.5)).toHaveLength(1);
    expect(at(0)).toBe(start);
    expect(at(3.5 / 17) - start).toBeCloseTo(7.5 * MINUTE, -2);
    expect(at(7 / 17 + 1e-7) - border).toBeGreaterThanOrEqual(0);
    expect(at(7 / 17 - 1e-7) - border).toBeLessThan(0);
    expect(at(12 / 17) - border).toBeCloseTo(7.5 * MINUTE, -2);
    // The largest random number, which rounds up to the end.
    expect(at(1 - 2 ** -32)).toBe(end - 1);
  });

  it("are none if the drawn number is zero", () => {
    const { starts } = planner({}).plan(shares(...MIDDLE, ...NONE), EVENING, EVENING + SECOND);
    expect(starts).toEqual([]);
  });
});
