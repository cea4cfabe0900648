import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../../contract/time.ts";
import { simulationOf } from "../../../generator/behaviour/behaviour.ts";
import type { ModelConfig } from "../../../generator/behaviour/config.ts";
import { plainBehaviour } from "../../../generator/behaviour/plain.ts";
import { tickPlanner } from "../../../generator/model/budget.ts";
import { expectedSessionLength } from "../../../generator/model/pages.ts";
import { seededRng } from "../../../generator/model/random.ts";
import { configWith, donors } from "./support.ts";

const HOURS = { night: 6, day: 10, else: 8 };
const EVENTS_PER_DAY = 30 * 60 * (0.7 * HOURS.night + 1.2 * HOURS.day + 1.0 * HOURS.else);

/** Page events by hour of the model day, summed over the days. */
function eventsByHour(env: Record<string, string>, days: number): number[] {
  const config = configWith(env);
  const simulation = simulationOf(config, donors);
  const byHour: number[] = Array(24).fill(0);
  for (let hour = 0; hour < days * 24; hour += 1) {
    const { browser } = simulation.advance(config.t0 + (hour + 1) * HOUR);
    byHour[hour % 24] = (byHour[hour % 24] ?? 0) + browser.values.length;
  }
  expect(simulation.counters.rejectedSessions).toBe(0);
  expect(simulation.counters.clampedTicks).toBe(0);
  return byHour;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("long-run rate", () => {
  it.each([
    ["1", {}],
    ["60", { GEN_MAX_EVENTS_PER_TICK: "1000" }],
    // Five hours per tick would be so few ticks that their jitter would not average out in a week.
    ["3600", { GEN_MAX_EVENTS_PER_TICK: "1000000", GEN_JITTER_PCT: "0" }],
  ])("is 30 per model minute times the coefficient at speed %s", (speed, env) => {
    const days = 6;
    const byHour = eventsByHour({ ...env, GEN_MODEL_TIME_SPEED: speed, GEN_SEED: "rate" }, days);
    expect(sum(byHour) / days / EVENTS_PER_DAY).toBeCloseTo(1, 1.5);
    // Hours next to a border are left out, because sessions reach over it.
    const perMinute = (from: number, to: number) =>
      sum(byHour.slice(from, to)) / (days * (to - from) * 60);
    expect(Math.abs(perMinute(1, 6) / 21 - 1)).toBeLessThan(0.06);
    expect(Math.abs(perMinute(10, 19) / 36 - 1)).toBeLessThan(0.06);
    expect(Math.abs(perMinute(20, 24) / 30 - 1)).toBeLessThan(0.06);
  });

  const profile = process.env.GEN_PROFILE || "standard";
  it(`is kept by the profile ${profile} unchanged`, () => {
    const days = 6;
    const byHour = eventsByHour({ GEN_PROFILE: profile, GEN_SEED: "profile" }, days);
    expect(sum(byHour) / days / EVENTS_PER_DAY).toBeCloseTo(1, 1.5);
  });

  it("differs if a limit applies, and those ticks are counted", () => {
    const config = configWith({ GEN_TICK_SECONDS: "1" });
    const simulation = simulationOf(config, donors);
    const { browser } = simulation.advance(config.t0 + 2 * HOUR);
    // The minimum is one event per second, more than the 21 per minute of the budget.
    expect(browser.values.length / 120).toBeGreaterThan(50);
    expect(simulation.counters.ticks).toBe(7200);
    expect(simulation.counters.clampedTicks).toBe(7200);
  });

  it("is limited by GEN_MAX_EVENTS_PER_TICK, and only the ticks above it are counted", () => {
    const NIGHT_HOURS = 6;
    // The budget is 21 events per tick at night and 30 or 36 by day, so only daytime exceeds 25.
    const config = configWith({
      GEN_TICK_SECONDS: "60",
      GEN_MAX_EVENTS_PER_TICK: "25",
      GEN_JITTER_PCT: "0",
    });
    const simulation = simulationOf(config, donors);
    const { browser } = simulation.advance(config.t0 + DAY);
    const ticksOfDay = (24 - NIGHT_HOURS) * 60;
    expect(simulation.counters.clampedTicks).toBe(ticksOfDay);
    const expected = ticksOfDay * 25 + NIGHT_HOURS * 60 * 21;
    expect(Math.abs(browser.values.length / expected - 1)).toBeLessThan(0.1);
  });
});

describe("tick planner", () => {
  const NOON = 1_767_268_800 * SECOND;
  const nobody = { created: 0, visiting: 0, eligible: [], resting: [] };
  const plainPlanner = (config: ModelConfig) => {
    const behaviour = plainBehaviour(config, donors);
    return tickPlanner(config, behaviour, behaviour.population(nobody, []));
  };

  it("converts the budget into session starts by the expected length, and jitter averages out", () => {
    const config = configWith({ GEN_MODEL_TIME_SPEED: "60", GEN_MAX_EVENTS_PER_TICK: "100000" });
    const planner = plainPlanner(config);
    const rng = seededRng("planner", "");
    const ticks = Array.from({ length: 20_000 }, () => planner.plan(rng, NOON, NOON + 5 * MINUTE));
    const mean = (values: readonly number[]) => sum(values) / values.length;
    expect(mean(ticks.map((tick) => tick.budget)) / 180).toBeCloseTo(1, 2);
    const starts = mean(ticks.map((tick) => tick.starts.length));
    expect(starts / (180 / expectedSessionLength(30))).toBeCloseTo(1, 2);
    const budgets = ticks.map((tick) => tick.budget);
    expect(Math.min(...budgets)).toBeGreaterThanOrEqual(180 * 0.8);
    expect(Math.max(...budgets)).toBeLessThanOrEqual(180 * 1.2);
  });

  it("spreads the starts of a long tick over the wave, in order", () => {
    const config = configWith({ GEN_MAX_EVENTS_PER_TICK: "1000000", GEN_JITTER_PCT: "0" });
    const start = NOON - 12 * HOUR;
    const { starts } = plainPlanner(config).plan(seededRng("wave", ""), start, start + DAY);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(starts.every((at) => Number.isInteger(at) && at >= start && at < start + DAY)).toBe(
      true,
    );
    const share = (from: number, to: number) =>
      starts.filter((at) => at >= start + from * HOUR && at < start + to * HOUR).length /
      starts.length;
    expect(share(0, 6)).toBeCloseTo(4.2 / 24.2, 1.5);
    expect(share(9, 19)).toBeCloseTo(12 / 24.2, 1.5);
  });
});
