import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAGES, type Payload } from "../../../contract/streams.ts";
import { DAY, HOUR, MINUTE, parseMicros, SECOND } from "../../../contract/time.ts";
import { RETURN_DAYS } from "../../../contract/truth.ts";
import { dayWeightOf, simulationOf } from "../../../generator/behaviour/behaviour.ts";
import { mixtureOf } from "../../../generator/behaviour/shop/mixture.ts";
import {
  SHOP,
  type ShopParameters,
  shopSchema,
} from "../../../generator/behaviour/shop/parameters.ts";
import { VARIANTS } from "../../../generator/behaviour/shop/session-traits.ts";
import { returnsOf } from "../../../generator/behaviour/shop/shop.ts";
import { shopTruth } from "../../../generator/behaviour/shop/truth.ts";
import { lengthOf, walkOf } from "../../../generator/behaviour/shop/walk.ts";
import { emptyCounters } from "../../../generator/counters.ts";
import { fingerprint } from "../../../generator/fingerprint.ts";
import { decodeState, encodeState, parseState } from "../../../generator/model/state.ts";
import { configWith, donors, firstDifference, isPageEvent, payloads, simulate } from "./support.ts";

const shopConfig = (env: Record<string, string> = {}) =>
  configWith({ GEN_BEHAVIOUR: "shop", GEN_MODEL_T0: "2026-01-05T00:00:00Z", ...env });
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Four days, of which several tests look at another property. */
const fourDays = simulate(shopConfig(), 4 * 1440);
const browser = payloads(fourDays.batch, "browser");
const location = payloads(fourDays.batch, "location");
const device = payloads(fourDays.batch, "device");

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
    const simulation = simulationOf(config, donors);
    const weightOf = dayWeightOf(config);
    const observed = { night: 0, day: 0, else: 0 };
    const expected = { night: 0, day: 0, else: 0 };
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      const batch = simulation.advance(config.t0 + (hour + 1) * HOUR);
      const of = hour % 24;
      const [level, coefficient] =
        of < 6
          ? (["night", 0.7] as const)
          : of >= 9 && of < 19
            ? (["day", 1.2] as const)
            : (["else", 1] as const);
      observed[level] += payloads(batch, "browser").filter(isPageEvent).length;
      expected[level] += 30 * 60 * coefficient * weightOf(config.t0 + hour * HOUR);
    }
    for (const level of ["night", "day", "else"] as const) {
      expect(Math.abs(observed[level] / expected[level] - 1), level).toBeLessThan(0.05);
    }
    expect(simulation.counters.rejectedSessions).toBe(0);
    // The weights average 1 over the week.
    expect(sum(Object.values(expected)) / (7 * 1440 * 30 * (24.2 / 24))).toBeCloseTo(1, 9);
  });

  it("has a target per wall-clock minute that follows speed, hour and day", () => {
    const env = { GEN_MODEL_TIME_SPEED: "60", GEN_MAX_EVENTS_PER_TICK: "10000" };
    const simulation = simulationOf(shopConfig(env), donors);
    const { mon, tue } = SHOP.calendar.weekdays;
    expect(simulation.targetRate).toBeCloseTo(30 * 60 * 0.7 * mon, 9);
    simulation.advance(shopConfig(env).t0 + 33 * HOUR);
    expect(simulation.targetRate).toBeCloseTo(30 * 60 * 1.2 * tue, 9);
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
        const simulation = simulationOf(config, donors);
        const events = new Map<string, number>();
        for (let step = 1; step <= 40; step += 1) {
          const batch = simulation.advance(config.t0 + step * 20 * MINUTE);
          for (const row of payloads(batch, "browser").filter(isPageEvent)) {
            events.set(row.click_id, (events.get(row.click_id) ?? 0) + 1);
          }
          expect(simulation.activeSessions).toBeLessThanOrEqual(config.maxActiveSessions);
          expect(simulation.population).toBeLessThanOrEqual(config.populationMax);
        }
        expect(Math.max(0, ...events.values())).toBeLessThanOrEqual(config.maxSessionEvents);
      }),
      { numRuns: 10, seed: 1 },
    );
  });

  it("lets visitors return only after the pause", () => {
    const { batch } = fourDays;
    const lastEvent = new Map<string, number>();
    batch.browser.keys.forEach((key, i) => {
      lastEvent.set(key ?? "", Number(batch.browser.emittedAt[i]));
    });
    const lastSession = new Map<string, string>();
    const pauses = device.flatMap((row, i) => {
      const before = lastSession.get(row.user_custom_id);
      lastSession.set(row.user_custom_id, row.click_id);
      if (before === undefined) return [];
      return [Number(batch.device.emittedAt[i]) - Number(lastEvent.get(before))];
    });
    expect(pauses.length).toBeGreaterThan(100);
    expect(pauses.filter((pause) => !(pause >= 30 * MINUTE))).toEqual([]);
  });

  it("shows a visitor the same variant in every session, and both variants alike often", () => {
    const variants = new Map<string, string>();
    const experiments = new Set<string | undefined>();
    location.forEach((row, i) => {
      const query = new URL(row.page_url).searchParams.get("exp")?.split(".");
      experiments.add(query?.[0]);
      variants.set(fourDays.batch.location.keys[i] ?? "", query?.[1] ?? "");
    });
    expect([...experiments]).toEqual([SHOP.experiment.name]);
    const byVisitor = new Map<string, Set<string>>();
    for (const { click_id, user_custom_id } of device) {
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
    const { simulation } = fourDays;
    const lengthOfAll = (isReturning: boolean) =>
      sum(
        cells
          .filter(({ traits }) => traits.isReturning === isReturning)
          .map(({ traits, weight }) => weight * lengthOf(walkOf(SHOP, traits), 30)),
      );
    const { sessions, events } = simulation.counters;
    const returning = sessions - simulation.users;
    const expected = simulation.users * lengthOfAll(false) + returning * lengthOfAll(true);
    expect(Math.abs(events / expected - 1)).toBeLessThan(0.03);
  });
});

describe("money in shop", () => {
  const pages = location.map((row) => row.page_url_path);

  it("comes from the basket that a session filled, in prices times units", () => {
    const added = new Map<string, number>();
    let purchases = 0;
    let known = 0;
    browser.forEach((row, i) => {
      const before = added.get(row.click_id) ?? 0;
      if (row.event_type === "add_to_cart") {
        const { product = "", quantity = "" } = row.properties ?? {};
        expect(pages[i]).toBe(`/${product}`);
        const price = SHOP.money.price[pages[i] as keyof typeof SHOP.money.price];
        expect(row.order_value).toBeCloseTo(price * Number(quantity), 9);
        added.set(row.click_id, before + Number(row.order_value));
      }
      if (row.event_type !== "purchase") return;
      purchases += 1;
      expect(row.currency).toBe("EUR");
      // A visitor who landed in the cart has a basket from before.
      expect(row.order_value).toBeGreaterThanOrEqual(before - 1e-9);
      if (Math.abs(Number(row.order_value) - before) < 1e-9) known += 1;
      added.set(row.click_id, 0);
    });
    expect(purchases).toBeGreaterThan(400);
    expect(known / purchases).toBeGreaterThan(0.5);
  });

  it("has the published revenue per visitor and value of an order", () => {
    const truth = shopTruth(shopConfig(), donors, shopConfig().t0 + 2 * DAY, 0);
    const { batch } = simulate(shopConfig({ GEN_LAMBDA_BASE_PER_MIN: "200", ...LARGE }), 2 * 1440);
    const value = (measure: string) =>
      truth.effects.find((one) => one.measure === measure && one.dimension === "all")?.truth ?? 0;
    const seen = new Set<string>();
    const first = new Set<string>();
    for (const { click_id, user_custom_id } of payloads(batch, "device")) {
      if (!seen.has(user_custom_id)) first.add(click_id);
      seen.add(user_custom_id);
    }
    // Reading the purchases alone saves most of the time.
    const orders = batch.browser.values
      .filter((text) => text.includes('"purchase"'))
      .map((text) => JSON.parse(text) as Payload["browser"])
      .filter((row) => row.event_type === "purchase" && first.has(row.click_id));
    const revenue = sum(orders.map((row) => row.order_value ?? 0));
    expect(revenue / orders.length / value("order_value")).toBeCloseTo(1, 1);
    expect(Math.abs(revenue / first.size / value("revenue") - 1)).toBeLessThan(0.1);
  });

  it("has searches before products, and no event that is no page event on the first page", () => {
    const types = new Set(browser.map((row) => row.event_type));
    expect(types).toEqual(new Set(["pageview", "purchase", "add_to_cart", "search"]));
    const seen = new Set<string>();
    const early = browser.filter((row) => {
      const isFirst = !seen.has(row.click_id);
      seen.add(row.click_id);
      return isFirst && !isPageEvent(row);
    });
    expect(early).toEqual([]);
    const searches = browser.filter((row) => row.event_type === "search");
    expect(new Set(searches.map((row) => row.properties?.query))).toEqual(
      new Set(["product a", "product b"]),
    );
  });
});

/** No cap or limit at 200 page events per minute. */
const LARGE = {
  GEN_MAX_EVENTS_PER_TICK: "10000",
  GEN_MAX_ACTIVE_SESSIONS: "100000",
  GEN_POPULATION_MAX: "100000",
};

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
    const devices = new Map(device.map((row) => [row.click_id, row.device_type]));
    const last = new Map<string, { at: number; page: string }>();
    const times: Record<string, number[]> = {};
    browser.forEach((row, i) => {
      const at = parseMicros(row.event_timestamp);
      const before = last.get(row.click_id);
      if (!isPageEvent(row)) return;
      last.set(row.click_id, { at, page: location[i]?.page_url_path ?? "" });
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

/** Starts of the sessions of each visitor, in order. */
function visitorsOf(config: ReturnType<typeof shopConfig>, days: number) {
  const simulation = simulationOf(config, donors);
  const visitors = new Map<string, { isRegistered: boolean; starts: number[] }>();
  for (let at = config.t0 + HOUR; at <= config.t0 + days * DAY; at += HOUR) {
    const batch = simulation.advance(at);
    payloads(batch, "device").forEach((row, i) => {
      const isRegistered = row.user_domain_id !== null;
      const visitor = visitors.get(row.user_custom_id) ?? { isRegistered, starts: [] };
      visitors.set(row.user_custom_id, visitor);
      expect(visitor.isRegistered).toBe(isRegistered);
      visitor.starts.push(Number(batch.device.emittedAt[i]));
    });
  }
  return { simulation, visitors: [...visitors.values()] };
}

describe("visitors of shop", () => {
  const days = 10;
  const config = shopConfig({ GEN_SEED: "visitors" });
  const { simulation, visitors } = visitorsOf(config, days);
  const within = (share: number, expected: number, of: number) =>
    expect(Math.abs(share - expected)).toBeLessThan(
      5 * Math.sqrt((expected * (1 - expected)) / of),
    );

  it("are thousands, of whom a share is registered, and the site rejects nobody", () => {
    expect(visitors).toHaveLength(simulation.users);
    expect(visitors.length).toBeGreaterThan(10_000);
    expect(simulation.counters.rejectedSessions).toBe(0);
    const registered = visitors.filter(({ isRegistered }) => isRegistered);
    within(registered.length / visitors.length, SHOP.visitors.registered, visitors.length);
  });

  it("return over hours, days and weeks, registered ones more often", () => {
    const truth = shopTruth(config, donors, config.t0 + days * DAY, 0);
    const followed = visitors.filter(
      ({ starts: [first = 0] }) => first + RETURN_DAYS * DAY < config.t0 + days * DAY - HOUR,
    );
    const isBack = ({
      starts: [first = 0, second = Number.POSITIVE_INFINITY],
    }: (typeof visitors)[0]) => second - first <= RETURN_DAYS * DAY;
    const groups = {
      all: followed,
      ...Object.groupBy(followed, ({ isRegistered }) =>
        isRegistered ? "registered" : "anonymous",
      ),
    };
    for (const [name, group = []] of Object.entries(groups)) {
      const expected = truth.effects.find(
        ({ measure, segment }) => measure === "return" && segment === name,
      );
      within(
        group.filter(isBack).length / group.length,
        expected?.truth ?? Number.NaN,
        group.length,
      );
    }
  });

  it("have returns that follow the published distribution", () => {
    // Later sessions of a visitor at an age in days, with all of them in the history.
    const { byHour } = returnsOf(config, donors, SHOP);
    const first = visitors.filter(({ starts: [at = 0] }) => at < config.t0 + DAY);
    for (const [from, to] of [
      [0, 1],
      [1, 3],
      [3, 9],
    ] as const) {
      const expected = sum(byHour.slice(from * 24, to * 24));
      const found = first.flatMap(({ starts: [begin = 0, ...later] }) =>
        later.filter((at) => at - begin >= from * DAY && at - begin < to * DAY),
      );
      // Returns follow the intensity of hours and weekdays, which is near 1 over whole days.
      expect(found.length / first.length / expected).toBeGreaterThan(0.8);
      expect(found.length / first.length / expected).toBeLessThan(1.2);
    }
  });

  it("buy in 2 to 4 % of their sessions, returning ones more often", () => {
    const bought = new Set(
      browser.flatMap(({ event_type, click_id }) => (event_type === "purchase" ? [click_id] : [])),
    );
    const seen = new Set<string>();
    const sessions = device.map(({ click_id, user_custom_id }) => {
      const isReturning = seen.has(user_custom_id);
      seen.add(user_custom_id);
      return { isReturning, hasBought: bought.has(click_id) };
    });
    const share = (some: typeof sessions) =>
      some.filter(({ hasBought }) => hasBought).length / some.length;
    expect(share(sessions)).toBeGreaterThan(0.02);
    expect(share(sessions)).toBeLessThan(0.04);
    const isReturning = ({ isReturning }: (typeof sessions)[0]) => isReturning;
    expect(share(sessions.filter(isReturning))).toBeGreaterThan(1.3 * share(sessions));
  });

  it("have a small state, from which they return as without the cut", () => {
    const frame = { fingerprint: "0".repeat(64), settings: {}, t0_us: 0, sent: emptyCounters() };
    const text = JSON.stringify(encodeState(simulation.snapshot(), frame));
    expect(text.length).toBeLessThan(100_000);
    const restored = simulationOf(config, donors, decodeState(parseState(text, donors), donors));
    const until = config.t0 + days * DAY + 90 * MINUTE;
    expect(firstDifference(restored.advance(until), simulation.advance(until))).toBeNull();
  });
});
