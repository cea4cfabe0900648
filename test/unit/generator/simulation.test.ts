import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STREAMS } from "../../../contract/streams.ts";
import { DAY, MINUTE, parseMicros, SECOND } from "../../../contract/time.ts";
import { simulationOf } from "../../../generator/behaviour/behaviour.ts";
import { configWith, donors, payloads, simulate } from "./support.ts";

const day = simulate(configWith(), 24 * 60);
const browser = payloads(day.batch, "browser");
const location = payloads(day.batch, "location");
const device = payloads(day.batch, "device");
const geo = payloads(day.batch, "geo");

describe("a model day without defects", () => {
  it("has fewer visitors than sessions and fewer sessions than events", () => {
    const { users, counters } = day.simulation;
    expect(users).toBeGreaterThan(100);
    expect(users).toBeLessThan(counters.sessions);
    expect(counters.sessions).toBeLessThan(counters.events);
    expect(new Set(device.map((row) => row.user_custom_id)).size).toBe(users);
  });

  it("sends one browser and one location message per event, one device and geo per session", () => {
    const { counters } = day.simulation;
    expect(browser).toHaveLength(counters.events);
    expect(location.map((row) => row.event_id)).toEqual(browser.map((row) => row.event_id));
    expect(device).toHaveLength(counters.sessions);
    expect(geo.map((row) => row.click_id)).toEqual(device.map((row) => row.click_id));
    expect(new Set(browser.map((row) => row.click_id)).size).toBe(counters.sessions);
  });

  it("has unique ids", () => {
    const ids = [
      ...browser.map((row) => row.event_id),
      ...device.map((row) => row.click_id),
      ...new Set(device.map((row) => row.user_custom_id)),
      ...new Set(device.flatMap((row) => row.user_domain_id ?? [])),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("keys every message by its click_id", () => {
    for (const stream of ["browser", "device", "geo"] as const) {
      expect(day.batch[stream].keys).toEqual(
        payloads(day.batch, stream).map((row) => row.click_id),
      );
    }
    expect(day.batch.location.keys).toEqual(day.batch.browser.keys);
  });

  it("emits in order of model time, at the time of the event", () => {
    for (const stream of STREAMS) {
      const times = day.batch[stream].emittedAt.map(Number);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
    expect(browser.map((row) => parseMicros(row.event_timestamp))).toEqual(
      day.batch.browser.emittedAt,
    );
  });

  it("uses all six digits of the microseconds", () => {
    const odd = browser.filter((row) => !row.event_timestamp.endsWith("000"));
    expect(odd.length / browser.length).toBeGreaterThan(0.99);
  });

  it("has fewer sessions at each stage of the funnel", () => {
    const visitsOn = (...paths: string[]) =>
      new Set(
        location
          .map((row, i) => ({ path: row.page_url_path, session: browser[i]?.click_id }))
          .filter((row) => paths.includes(row.path))
          .map((row) => row.session),
      ).size;
    const stages = [
      visitsOn("/home"),
      visitsOn("/product_a", "/product_b"),
      visitsOn("/cart"),
      visitsOn("/payment"),
      visitsOn("/confirmation"),
    ];
    expect(stages[0]).toBe(day.simulation.counters.sessions);
    for (let i = 1; i < stages.length; i += 1) {
      expect(stages[i]).toBeLessThan(stages[i - 1] ?? 0);
      expect(stages[i]).toBeGreaterThan(0);
    }
    const purchases = browser.filter((row) => row.event_type === "purchase").length;
    const confirmations = location.filter((row) => row.page_url_path === "/confirmation").length;
    expect(purchases).toBe(confirmations);
  });

  it("keeps browser and source facts within a session", () => {
    const facts = browser.map((row, i) => {
      const { event_id: _e, event_timestamp: _t, event_type: _y, ...same } = row;
      return JSON.stringify([same, location[i]?.referer_url, location[i]?.utm_campaign]);
    });
    // Each has the id of its session.
    expect(new Set(facts).size).toBe(day.simulation.counters.sessions);
  });

  it("keeps place and account of a visitor over sessions", () => {
    const places = device.map((row, i) => {
      const { geo_country, geo_region_name } = geo[i] ?? {};
      return `${row.user_custom_id} ${row.user_domain_id} ${geo_country} ${geo_region_name}`;
    });
    expect(new Set(places).size).toBe(day.simulation.users);
    const accounts = device.filter((row) => row.user_domain_id !== null).length;
    expect(accounts).toBeGreaterThan(device.length / 10);
    expect(accounts).toBeLessThan(device.length * 0.9);
  });

  it("shows a page for at least a second, about 20 s in the median", () => {
    const last = new Map<string, number>();
    const pauses = browser.flatMap((row) => {
      const at = parseMicros(row.event_timestamp);
      const before = last.get(row.click_id);
      last.set(row.click_id, at);
      return before === undefined ? [] : [at - before];
    });
    pauses.sort((a, b) => a - b);
    expect(pauses[0]).toBeGreaterThanOrEqual(SECOND);
    const median = (pauses[Math.floor(pauses.length / 2)] ?? 0) / SECOND;
    expect(Math.abs(median - 20)).toBeLessThan(0.5);
  });

  it("lets visitors return only after the pause", () => {
    const lastEvent = new Map<string, number>();
    browser.forEach((row, i) => {
      lastEvent.set(row.click_id, Number(day.batch.browser.emittedAt[i]));
    });
    const lastSession = new Map<string, string>();
    const pauses = device.flatMap((row, i) => {
      const before = lastSession.get(row.user_custom_id);
      lastSession.set(row.user_custom_id, row.click_id);
      if (before === undefined) return [];
      return [Number(day.batch.device.emittedAt[i]) - Number(lastEvent.get(before))];
    });
    expect(pauses.filter((pause) => !(pause >= 30 * MINUTE))).toEqual([]);
    expect(pauses.length / device.length).toBeGreaterThan(0.8);
  });
});

describe("caps", () => {
  it("are never exceeded, under any load", () => {
    const env = fc.record({
      GEN_SEED: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
      GEN_MAX_SESSION_EVENTS: fc.integer({ min: 1, max: 12 }).map(String),
      GEN_MAX_ACTIVE_SESSIONS: fc.integer({ min: 1, max: 30 }).map(String),
      GEN_POPULATION_MAX: fc.integer({ min: 1, max: 60 }).map(String),
      GEN_P_NEW_USER: fc.constantFrom("0", "0.15", "0.6", "1"),
      GEN_MIN_RETURN_MINUTES: fc.constantFrom("0", "0.5", "30"),
      GEN_LAMBDA_BASE_PER_MIN: fc.constantFrom("5", "60", "600"),
      GEN_MODEL_TIME_SPEED: fc.constantFrom("1", "60"),
      GEN_MAX_EVENTS_PER_TICK: fc.constant("100000"),
    });
    fc.assert(
      fc.property(env, (variables) => {
        const config = configWith(variables);
        const simulation = simulationOf(config, donors);
        const events = new Map<string, number>();
        for (let step = 1; step <= 60; step += 1) {
          const batch = simulation.advance(config.t0 + step * 20 * SECOND);
          for (const key of batch.browser.keys) {
            events.set(key ?? "", (events.get(key ?? "") ?? 0) + 1);
          }
          expect(simulation.activeSessions).toBeLessThanOrEqual(config.maxActiveSessions);
          expect(simulation.population).toBeLessThanOrEqual(config.populationMax);
          expect(simulation.activeSessions).toBeLessThanOrEqual(simulation.population);
        }
        expect(Math.max(0, ...events.values())).toBeLessThanOrEqual(config.maxSessionEvents);
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  it("reject sessions and count them", () => {
    const { simulation } = simulate(configWith({ GEN_POPULATION_MAX: "5" }), 120);
    expect(simulation.counters.rejectedSessions).toBeGreaterThan(0);
    expect(simulation.users).toBeGreaterThanOrEqual(5);
    const busy = simulate(configWith({ GEN_MAX_ACTIVE_SESSIONS: "3" }), 120).simulation;
    expect(busy.counters.rejectedSessions).toBeGreaterThan(0);
  });
});

describe("new visitors", () => {
  it.each(["0.15", "0.4"])("make up the share %s of the sessions in the long run", (share) => {
    const config = configWith({ GEN_P_NEW_USER: share, GEN_POPULATION_MAX: "600" });
    const simulation = simulationOf(config, donors);
    simulation.advance(config.t0 + DAY);
    const { users, counters } = simulation;
    const usersBefore = users;
    const sessionsBefore = counters.sessions;
    simulation.advance(config.t0 + 4 * DAY);
    const ratio =
      (simulation.users - usersBefore) / (simulation.counters.sessions - sessionsBefore);
    expect(Math.abs(ratio / Number(share) - 1)).toBeLessThan(0.05);
  });

  it("replace returning ones if nobody may return, and are replaced by them at the cap", () => {
    const young = simulate(configWith({ GEN_P_NEW_USER: "0" }), 20).simulation;
    expect(young.users).toBe(young.counters.sessions);
    const full = simulate(
      configWith({ GEN_P_NEW_USER: "1", GEN_POPULATION_MAX: "40", GEN_MIN_RETURN_MINUTES: "0" }),
      600,
    ).simulation;
    expect(full.counters.rejectedSessions).toBe(0);
    expect(full.counters.sessions).toBeGreaterThan(full.users);
  });
});
