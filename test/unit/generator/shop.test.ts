import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAGES } from "../../../contract/streams.ts";
import { DAY, HOUR, MINUTE, parseMicros, SECOND } from "../../../contract/time.ts";
import { dayWeightOf } from "../../../generator/behaviour/behaviour.ts";
import { mixtureOf } from "../../../generator/behaviour/shop/mixture.ts";
import {
  SHOP,
  type ShopParameters,
  shopSchema,
} from "../../../generator/behaviour/shop/parameters.ts";
import { VARIANTS } from "../../../generator/behaviour/shop/session-traits.ts";
import { lengthOf, walkOf } from "../../../generator/behaviour/shop/walk.ts";
import { fingerprint } from "../../../generator/fingerprint.ts";
import { Simulation } from "../../../generator/model/simulation.ts";
import { configWith, donors, firstDifference, payloads, simulate } from "./support.ts";

const shopConfig = (env: Record<string, string> = {}) =>
  configWith({ GEN_BEHAVIOUR: "shop", GEN_MODEL_T0: "2026-01-05T00:00:00Z", ...env });
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("the behaviour shop", () => {
  it("gives the same bytes for the same seed, others than plain, and a fingerprint of its own", () => {
    const first = simulate(shopConfig(), 300).batch;
    expect(firstDifference(simulate(shopConfig(), 300).batch, first)).toBeNull();
    const plain = shopConfig({ GEN_BEHAVIOUR: "plain" });
    expect(simulate(plain, 300).batch.location.values).not.toEqual(first.location.values);
    expect(fingerprint(shopConfig(), "")).not.toBe(fingerprint(plain, ""));
  });

  it("keeps the intensity times the weight of the day, and the daily wave", () => {
    const config = shopConfig({ GEN_SEED: "wave" });
    const simulation = new Simulation(config, donors);
    const weightOf = dayWeightOf(config);
    const observed = { night: 0, day: 0, else: 0 };
    const expected = { night: 0, day: 0, else: 0 };
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      const { browser } = simulation.advance(config.t0 + (hour + 1) * HOUR);
      const of = hour % 24;
      const [level, coefficient] =
        of < 6
          ? (["night", 0.7] as const)
          : of >= 9 && of < 19
            ? (["day", 1.2] as const)
            : (["else", 1] as const);
      observed[level] += browser.values.length;
      expected[level] += 30 * 60 * coefficient * weightOf(config.t0 + hour * HOUR);
    }
    for (const level of ["night", "day", "else"] as const) {
      expect(Math.abs(observed[level] / expected[level] - 1), level).toBeLessThan(0.05);
    }
    expect(simulation.counters.rejectedSessions).toBe(0);
    // The weights average 1 over the week.
    expect(sum(Object.values(expected)) / (7 * 1440 * 30 * (24.2 / 24))).toBeCloseTo(1, 9);
  });

  it("keeps the caps under any load", () => {
    const env = fc.record({
      GEN_SEED: fc.integer().map(String),
      GEN_MAX_SESSION_EVENTS: fc.integer({ min: 1, max: 12 }).map(String),
      GEN_MAX_ACTIVE_SESSIONS: fc.integer({ min: 1, max: 30 }).map(String),
      GEN_POPULATION_MAX: fc.integer({ min: 1, max: 60 }).map(String),
      GEN_P_NEW_USER: fc.constantFrom("0", "0.15", "1"),
      GEN_MIN_RETURN_MINUTES: fc.constantFrom("0", "0.5", "30"),
      GEN_MODEL_TIME_SPEED: fc.constantFrom("1", "60"),
      GEN_MAX_EVENTS_PER_TICK: fc.constantFrom("50", "100000"),
    });
    fc.assert(
      fc.property(env, (variables) => {
        const config = shopConfig(variables);
        const simulation = new Simulation(config, donors);
        const events = new Map<string, number>();
        for (let step = 1; step <= 40; step += 1) {
          const batch = simulation.advance(config.t0 + step * 20 * MINUTE);
          for (const key of batch.browser.keys) {
            events.set(key ?? "", (events.get(key ?? "") ?? 0) + 1);
          }
          expect(simulation.activeSessions).toBeLessThanOrEqual(config.maxActiveSessions);
          expect(simulation.population).toBeLessThanOrEqual(config.populationMax);
        }
        expect(Math.max(0, ...events.values())).toBeLessThanOrEqual(config.maxSessionEvents);
      }),
      { numRuns: 10, seed: 1 },
    );
  });

  it("lets visitors return only after the pause, and keeps the share of new ones", () => {
    const { batch, simulation } = simulate(shopConfig({ GEN_POPULATION_MAX: "600" }), 2 * 1440);
    const lastEvent = new Map<string, number>();
    batch.browser.keys.forEach((key, i) => {
      lastEvent.set(key ?? "", Number(batch.browser.emittedAt[i]));
    });
    const lastSession = new Map<string, string>();
    payloads(batch, "device").forEach((row, i) => {
      const before = lastSession.get(row.user_custom_id);
      lastSession.set(row.user_custom_id, row.click_id);
      if (before === undefined) return;
      const pause = Number(batch.device.emittedAt[i]) - Number(lastEvent.get(before));
      expect(pause).toBeGreaterThanOrEqual(30 * MINUTE);
    });
    expect(Math.abs(simulation.users / simulation.counters.sessions - 0.15)).toBeLessThan(0.02);
  });

  it("shows a visitor the same variant in every session, and both variants alike often", () => {
    const { batch } = simulate(shopConfig(), 1440);
    const variants = new Map<string, string>();
    payloads(batch, "location").forEach((row, i) => {
      const query = new URL(row.page_url).searchParams.get("exp")?.split(".");
      expect(query?.[0]).toBe(SHOP.experiment.name);
      variants.set(batch.location.keys[i] ?? "", query?.[1] ?? "");
    });
    const byVisitor = new Map<string, Set<string>>();
    for (const { click_id, user_custom_id } of payloads(batch, "device")) {
      const seen = byVisitor.get(user_custom_id) ?? new Set<string>();
      byVisitor.set(user_custom_id, seen.add(variants.get(click_id) ?? ""));
    }
    const all = [...byVisitor.values()];
    expect(all.every((seen) => seen.size === 1)).toBe(true);
    const b = all.filter((seen) => seen.has("b")).length / all.length;
    expect(Math.abs(b - 0.5)).toBeLessThan(5 * Math.sqrt(0.25 / all.length));
  });
});

describe("a walk of shop", () => {
  const cells = mixtureOf(SHOP, donors);

  it("has probabilities on every page, and a way out", () => {
    for (const { traits } of cells) {
      const walk = walkOf(SHOP, traits);
      expect(sum(walk.landing)).toBeCloseTo(1, 9);
      for (const row of [...walk.first, ...walk.later]) {
        expect(row.every((p) => p >= 0)).toBe(true);
        expect(sum(row)).toBeLessThan(1);
      }
      expect(walk.seconds.every((mean) => mean > 1)).toBe(true);
    }
  });

  it("covers all sessions of new visitors, and all of returning ones", () => {
    const weights = (isReturning: boolean) =>
      sum(
        cells.filter(({ traits }) => traits.isReturning === isReturning).map((cell) => cell.weight),
      );
    expect(weights(false)).toBeCloseTo(1, 9);
    expect(weights(true)).toBeCloseTo(1, 9);
  });

  it("raises only the step of its factor, and leaves the proportions of the others", () => {
    const traits = {
      device: "Computer",
      country: "AT",
      channel: "direct",
      campaign: "",
      isReturning: false,
      browser: "",
    };
    const [a, b] = VARIANTS.map((variant) => walkOf(SHOP, { ...traits, variant }));
    const [payment, cart, confirmation] = [4, 3, 5];
    const p = (walk: typeof a, to: number) => walk?.later[payment]?.[to] ?? Number.NaN;
    expect(p(b, confirmation) / p(a, confirmation)).toBeCloseTo(SHOP.experiment.effect, 9);
    const exit = (walk: typeof a) => 1 - sum(walk?.later[payment] ?? []);
    expect(p(b, cart) / exit(b)).toBeCloseTo(p(a, cart) / exit(a), 9);
    expect(b?.later[cart]).toEqual(a?.later[cart]);
  });

  it("has the expected length of simulated sessions", () => {
    const { counters } = simulate(shopConfig({ GEN_POPULATION_MAX: "3000" }), 4 * 1440).simulation;
    const length = sum(
      cells.map(
        ({ traits, weight }) =>
          (traits.isReturning ? 0.85 : 0.15) * weight * lengthOf(walkOf(SHOP, traits), 30),
      ),
    );
    expect(Math.abs(counters.events / counters.sessions / length - 1)).toBeLessThan(0.03);
  });
});

describe("parameters of shop", () => {
  const changed = (change: (copy: ShopParameters) => void) => {
    const copy = structuredClone(SHOP);
    change(copy);
    return shopSchema.safeParse(copy).success;
  };

  it("are refused if weights do not average 1, shares do not sum to 1, or a name is unknown", () => {
    expect(changed(() => {})).toBe(true);
    expect(
      changed((copy) => {
        copy.calendar.weekdays.mon = 2;
      }),
    ).toBe(false);
    expect(
      changed((copy) => {
        copy.calendar.holidays["02-14"] = 2;
      }),
    ).toBe(false);
    expect(
      changed((copy) => {
        copy.referralChain.afterPaid.direct = 0.9;
      }),
    ).toBe(false);
    expect(
      changed((copy) => {
        copy.landing.otherwise["/cart"] = 0.1;
      }),
    ).toBe(false);
    expect(
      changed((copy) => {
        copy.experiment.share = 1.1;
      }),
    ).toBe(false);
    expect(changed((copy) => Object.assign(copy, { extra: 1 }))).toBe(false);
  });
});

describe("time on a page of shop", () => {
  it("has the page's mean for the device", () => {
    const { batch } = simulate(shopConfig(), 2 * 1440);
    const devices = new Map(
      payloads(batch, "device").map((row) => [row.click_id, row.device_type]),
    );
    const paths = payloads(batch, "location").map((row) => row.page_url_path);
    const last = new Map<string, { at: number; page: string }>();
    const times: Record<string, number[]> = {};
    payloads(batch, "browser").forEach((row, i) => {
      const at = parseMicros(row.event_timestamp);
      const before = last.get(row.click_id);
      last.set(row.click_id, { at, page: paths[i] ?? "" });
      if (before === undefined) return;
      const key = `${before.page} ${devices.get(row.click_id)}`;
      const list = times[key] ?? [];
      times[key] = list;
      list.push((at - before.at) / SECOND);
    });
    for (const page of PAGES.slice(0, 4)) {
      for (const device of ["Mobile", "Computer"]) {
        const list = times[`${page} ${device}`] ?? [];
        const mean = SHOP.timeOnPage.page[page] * (SHOP.timeOnPage.device[device] ?? 1);
        expect(Math.abs(sum(list) / list.length / mean - 1), `${page} ${device}`).toBeLessThan(
          5 / Math.sqrt(list.length),
        );
      }
    }
  });
});

/** Sessions of each registered visitor, in order of their starts. */
function registeredSessions(config: ReturnType<typeof shopConfig>, days: number) {
  const simulation = new Simulation(config, donors);
  const starts = new Map<string, number[]>();
  for (let at = config.t0 + HOUR; at <= config.t0 + days * DAY; at += HOUR) {
    const batch = simulation.advance(at);
    payloads(batch, "device").forEach((row, i) => {
      if (row.user_domain_id === null) return;
      const list = starts.get(row.user_custom_id) ?? [];
      starts.set(row.user_custom_id, list);
      list.push(Number(batch.device.emittedAt[i]));
    });
  }
  return { simulation, starts: [...starts.values()] };
}

describe("registered visitors of shop", () => {
  it("are a share of visitors and sessions, also in a small population", () => {
    const config = shopConfig({ GEN_POPULATION_MAX: "300", GEN_SEED: "registered" });
    const { simulation, starts } = registeredSessions(config, 4);
    const { registered } = SHOP.customers;
    const variance = registered * (1 - registered);
    expect(Math.abs(starts.length / simulation.users - registered)).toBeLessThan(
      5 * Math.sqrt(variance / simulation.users),
    );
    const share = sum(starts.map((list) => list.length)) / simulation.counters.sessions;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.3);
  });

  it("return within a week or never, if the quota has room for all", () => {
    const days = 12;
    const config = shopConfig({ GEN_POPULATION_MAX: "50000" });
    const { starts } = registeredSessions(config, days);
    const gaps = starts.flatMap((list) => list.slice(1).map((at, i) => at - (list[i] ?? 0)));
    expect(Math.max(...gaps)).toBeLessThan(7 * DAY + 2 * HOUR);
    const end = config.t0 + days * DAY;
    const followed = starts.flatMap((list) =>
      list.flatMap((at, i) => (at > end - 8 * DAY ? [] : [Number(list[i + 1] !== undefined)])),
    );
    expect(followed.length).toBeGreaterThan(1000);
    expect(Math.abs(sum(followed) / followed.length - SHOP.customers.weeklyReturn)).toBeLessThan(
      5 * Math.sqrt(0.16 / followed.length),
    );
  });
});
