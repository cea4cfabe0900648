import { describe, expect, it } from "vitest";
import { noDefects } from "../../../contract/defects.ts";
import { emptyBatch } from "../../../contract/ports.ts";
import { STREAMS } from "../../../contract/streams.ts";
import { HOUR, MINUTE, parseMicros, SECOND } from "../../../contract/time.ts";
import { emptyCounters } from "../../../generator/counters.ts";
import { Simulation } from "../../../generator/model/simulation.ts";
import { decodeState, encodeState, parseState } from "../../../generator/model/state.ts";
import { configWith, donors, firstDifference, joined, payloads, simulate } from "./support.ts";

/** Properties that an hour already shows; `simulation.test.ts` covers whole days. */
const config = configWith({ GEN_DEFECTS: "late=0.2,malformed=0.1,bad_geo=0.2,missing_device=0.1" });
const frame = { fingerprint: "0".repeat(64), settings: {}, t0_us: 0, ledger: emptyCounters() };
/** Each test creates its own run, so that test coverage shows what it uses. */
const hour = () => simulate(config, 60);

function restart(simulation: Simulation): Simulation {
  const text = JSON.stringify(encodeState(simulation.snapshot(), frame));
  return new Simulation(config, donors, decodeState(parseState(text, donors), donors));
}

describe("a run of an hour", () => {
  it("equals the uninterrupted run if it is stopped and restored at any microsecond", () => {
    const whole = hour();
    const at = whole.batch.browser.emittedAt.map(Number);
    // On an event, before and after it, at a tick, twice at the same instant.
    const [some = 0, other = 0] = [at[40], at[300]];
    const cuts = [some, some + 1, some + 1, other - 1, other, config.t0 + 30 * MINUTE];
    let part = new Simulation(config, donors);
    const batches = cuts.map((cut) => {
      const batch = part.advance(cut);
      for (const stream of STREAMS) {
        expect(batch[stream].emittedAt.every((time) => Number(time) < cut)).toBe(true);
      }
      part = restart(part);
      expect(part.modelTime).toBe(cut);
      return batch;
    });
    batches.push(part.advance(config.t0 + HOUR));
    expect(firstDifference(joined(batches), whole.batch)).toBeNull();
    expect(part.snapshot()).toEqual(whole.simulation.snapshot());
  });

  it("does not go back, and its snapshots are read-only", () => {
    const { simulation } = simulate(config, 10);
    const before = simulation.snapshot();
    expect(simulation.advance(config.t0 + 5 * MINUTE)).toEqual(emptyBatch());
    expect(simulation.modelTime).toBe(config.t0 + 10 * MINUTE);
    simulation.advance(config.t0 + 20 * MINUTE);
    expect(before).toEqual(simulate(config, 10).simulation.snapshot());
    const restored = new Simulation(config, donors, before);
    restored.advance(config.t0 + 20 * MINUTE);
    expect(before).toEqual(simulate(config, 10).simulation.snapshot());
    expect(restored.snapshot()).toEqual(simulation.snapshot());
  });

  it("reports its progress", () => {
    const { simulation, batch } = hour();
    const { sessions, starts, population } = simulation.snapshot();
    expect(simulation.activeSessions).toBe(sessions.length);
    expect(simulation.users).toBe(population.created);
    expect(simulation.population).toBe(
      population.visiting + population.eligible.length + population.resting.length,
    );
    expect(population.visiting).toBe(sessions.length);
    expect(simulation.defects.bad_geo.geo).toBeGreaterThan(0);
    const { counters } = simulation;
    // Ticks of five seconds with 1 to 100 events; the night's budget is 1.75 to 2.5.
    expect([counters.ticks, counters.clampedTicks, counters.rejectedSessions]).toEqual([720, 0, 0]);
    expect(new Set(batch.geo.keys).size).toBe(counters.sessions);
    expect(counters.events).toBe(batch.browser.values.length + simulation.snapshot().late.length);
    expect(starts.every((start) => start >= config.t0 + HOUR)).toBe(true);
  });

  it("begins empty", () => {
    const simulation = new Simulation(config, donors);
    expect(simulation.snapshot()).toMatchObject({
      modelTime: config.t0,
      nextTickAt: config.t0,
      starts: [],
      sessions: [],
      population: { created: 0, visiting: 0, eligible: [], resting: [] },
      late: [],
      counters: { sessions: 0, events: 0, rejectedSessions: 0, ticks: 0, clampedTicks: 0 },
      defects: noDefects(),
    });
    expect(simulation.advance(config.t0)).toEqual(emptyBatch());
    expect(simulation.counters.ticks).toBe(0);
    simulation.advance(config.t0 + 1);
    expect(simulation.counters.ticks).toBe(1);
  });

  it("aims at the rate times speed and coefficient of its hour", () => {
    const fast = configWith({
      GEN_MODEL_T0: "2026-01-01T08:59:00Z",
      GEN_MODEL_TIME_SPEED: "60",
      GEN_LAMBDA_BASE_PER_MIN: "10",
      GEN_MAX_EVENTS_PER_TICK: "1000",
    });
    const simulation = new Simulation(fast, donors);
    expect([simulation.coefficient, simulation.targetRate]).toEqual([1, 600]);
    simulation.advance(parseMicros("2026-01-01T09:00:00Z"));
    expect([simulation.coefficient, simulation.targetRate]).toEqual([1.2, 720]);
  });

  it("counts the ticks whose budget was limited", () => {
    // Ticks of a second send at least one event, more than the 21 per minute of the budget.
    const { counters } = simulate(configWith({ GEN_TICK_SECONDS: "1" }), 1).simulation;
    expect([counters.ticks, counters.clampedTicks]).toEqual([60, 60]);
  });

  it("shows a page for 20 seconds in the median", () => {
    const { keys, emittedAt } = simulate(configWith(), 60).batch.browser;
    const last = new Map<string | null, number>();
    const pauses = keys.flatMap((key, n) => {
      const [now, before] = [Number(emittedAt[n]), last.get(key)];
      last.set(key, now);
      return before === undefined ? [] : [now - before];
    });
    const below = pauses.filter((pause) => pause < 20 * SECOND).length;
    expect(Math.abs(below / pauses.length - 0.5)).toBeLessThan(0.1);
  });

  it("has sessions with page events at least a second apart, from the home page to the allowed last one", () => {
    const { batch } = simulate(configWith({ GEN_MAX_SESSION_EVENTS: "3" }), 60);
    const pages = payloads(batch, "location");
    const sessions = Map.groupBy(payloads(batch, "browser").entries(), ([, row]) => row.click_id);
    const lengths = new Set<number>();
    for (const events of sessions.values()) {
      const rows = [...events];
      lengths.add(rows.length);
      expect(pages[rows[0]?.[0] ?? -1]?.page_url_path).toBe("/home");
      const times = rows.map(([, row]) => parseMicros(row.event_timestamp));
      for (const [n, time] of times.entries()) {
        if (n > 0) expect(time - Number(times[n - 1])).toBeGreaterThanOrEqual(SECOND);
      }
      const suffixes = rows.map(([, row]) => row.event_id.slice(-4));
      expect(suffixes).toEqual(["0001", "0002", "0003"].slice(0, rows.length));
    }
    expect(lengths).toEqual(new Set([1, 2, 3]));
  });

  it("rejects sessions at a cap and counts each", () => {
    const narrow = { GEN_MAX_ACTIVE_SESSIONS: "2", GEN_JITTER_PCT: "0" };
    const { simulation, batch } = simulate(configWith(narrow), 30);
    const open = simulate(configWith({ GEN_JITTER_PCT: "0" }), 30).simulation;
    expect(simulation.counters.rejectedSessions).toBeGreaterThan(0);
    expect(simulation.counters.sessions).toBe(new Set(batch.geo.keys).size);
    expect(open.counters.rejectedSessions).toBe(0);
    expect(simulation.activeSessions).toBeLessThanOrEqual(2);
    expect(simulation.users).toBeLessThanOrEqual(simulation.counters.sessions);
  });
});
