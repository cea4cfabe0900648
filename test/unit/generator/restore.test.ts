import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MINUTE, type Micros, parseMicros } from "../../../contract/time.ts";
import { simulationOf } from "../../../generator/behaviour/behaviour.ts";
import { emptyCounters } from "../../../generator/counters.ts";
import type { Simulation } from "../../../generator/model/simulation.ts";
import { decodeState, encodeState, parseState } from "../../../generator/model/state.ts";
import { configWith, donors, firstDifference, joined, payloads } from "./support.ts";

const frame = { fingerprint: "0".repeat(64), settings: {}, t0_us: 0, sent: emptyCounters() };

/** Restores the state from its stored text, as a restart does. */
function restart(config: ReturnType<typeof configWith>, simulation: Simulation): Simulation {
  const text = JSON.stringify(encodeState(simulation.snapshot(), frame));
  return simulationOf(config, donors, decodeState(parseState(text, donors), donors));
}

describe("a run that is stopped at any point and restored", () => {
  it("equals the uninterrupted run", () => {
    const span = 3 * 60 * MINUTE;
    const cuts = fc.array(fc.integer({ min: 0, max: span }), { minLength: 1, maxLength: 8 });
    const env = fc.record({
      GEN_BEHAVIOUR: fc.constantFrom("plain", "shop"),
      GEN_SEED: fc.integer().map(String),
      GEN_MODEL_TIME_SPEED: fc.constantFrom("1", "7.3", "60", "3600"),
      GEN_TICK_SECONDS: fc.constantFrom("1", "5"),
      GEN_MAX_EVENTS_PER_TICK: fc.constantFrom("50", "100000"),
      GEN_POPULATION_MAX: fc.constantFrom("20", "300"),
      GEN_MIN_RETURN_MINUTES: fc.constantFrom("0", "5"),
      GEN_DEFECTS: fc.constantFrom("none", "typical", "late=0.4,malformed=0.2,bad_geo=0.5"),
    });
    fc.assert(
      fc.property(env, cuts, (variables, offsets) => {
        const config = configWith(variables);
        const end: Micros = config.t0 + span;
        const whole = simulationOf(config, donors);
        const expected = whole.advance(end);
        let part = simulationOf(config, donors);
        const batches = offsets
          .toSorted((a, b) => a - b)
          .map((offset) => {
            const batch = part.advance(config.t0 + offset);
            part = restart(config, part);
            return batch;
          });
        batches.push(part.advance(end));
        expect(firstDifference(joined(batches), expected)).toBeNull();
        const state = (simulation: Simulation) =>
          JSON.stringify(encodeState(simulation.snapshot(), frame));
        expect(state(part) === state(whole)).toBe(true);
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  it("keeps browser, source and microseconds of an active session", () => {
    const config = configWith();
    const simulation = simulationOf(config, donors);
    const before = simulation.advance(config.t0 + 60 * MINUTE);
    const cut = restart(config, simulation);
    const open = new Map(
      cut.snapshot().sessions.map((session) => [`${session.idPrefix}0000`, session]),
    );
    expect(open.size).toBeGreaterThan(0);
    const after = cut.advance(config.t0 + 120 * MINUTE);
    const sources = (batch: typeof before) =>
      payloads(batch, "location").map(
        (row, i) => [batch.location.keys[i], row.utm_source] as const,
      );
    const known = new Map(sources(before));
    for (const [click, source] of sources(after)) {
      if (open.has(click ?? "")) expect(source).toBe(known.get(click ?? null));
    }
    for (const row of payloads(after, "browser")) {
      const session = open.get(row.click_id);
      if (session === undefined) continue;
      expect(row.browser_user_agent).toBe(session.donor.facts.browser.browser_user_agent);
      expect(parseMicros(row.event_timestamp)).toBe(session.at);
      open.delete(row.click_id);
    }
    expect(open.size).toBe(0);
  });
});
