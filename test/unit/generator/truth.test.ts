import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAGES, type Page } from "../../../contract/streams.ts";
import { DAY, HOUR, isoMicros } from "../../../contract/time.ts";
import { MEASURES } from "../../../contract/truth.ts";
import { mixtureOf } from "../../../generator/behaviour/shop/mixture.ts";
import { outcomesOf, stayOf } from "../../../generator/behaviour/shop/outcomes.ts";
import { SHOP } from "../../../generator/behaviour/shop/parameters.ts";
import { basketValue, shoppingOf } from "../../../generator/behaviour/shop/shopping.ts";
import { shopTruth } from "../../../generator/behaviour/shop/truth.ts";
import { lengthOf, reachOf, type Walk, walkOf } from "../../../generator/behaviour/shop/walk.ts";
import { meanBudget } from "../../../generator/model/budget.ts";
import { seededRng } from "../../../generator/model/random.ts";
import { GeneratorRun } from "../../../generator/run.ts";
import { configWith, donors } from "./support.ts";

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const row = fc
  .array(fc.nat(100), { minLength: PAGES.length + 1, maxLength: PAGES.length + 1 })
  .map((weights) => weights.slice(0, -1).map((one) => one / (sum(weights) + 1)));
const rows = fc.array(row, { minLength: PAGES.length, maxLength: PAGES.length });
const walks: fc.Arbitrary<Walk> = fc.record({
  landing: row.map((shares) => {
    const [first = 0, ...others] = shares;
    return [first + 1 - sum(shares), ...others];
  }),
  first: rows,
  later: rows,
  seconds: fc.constant(PAGES.map((_, page) => 10 + 7 * page)),
});

/** Every path of at most so many pages, with its probability. */
function pathsOf(walk: Walk, maxEvents: number): { pages: number[]; p: number }[] {
  const extend = (pages: number[], p: number): { pages: number[]; p: number }[] => {
    if (pages.length === maxEvents) return [{ pages, p }];
    const next = (pages.length === 1 ? walk.first : walk.later)[pages.at(-1) ?? 0] ?? [];
    const ends = { pages, p: p * (1 - sum(next)) };
    return [ends, ...next.flatMap((share, to) => extend([...pages, to], p * share))];
  };
  return walk.landing.flatMap((share, page) => extend([page], share));
}

describe("the outcomes of a walk", () => {
  it("are those of all its paths", () => {
    fc.assert(
      fc.property(walks, fc.integer({ min: 1, max: 4 }), (walk, maxEvents) => {
        const paths = pathsOf(walk, maxEvents);
        const share = (holds: (pages: string[]) => boolean) =>
          sum(
            paths
              .filter(({ pages }) => holds(pages.map((page) => PAGES[page] ?? "")))
              .map(({ p }) => p),
          );
        for (const page of PAGES) {
          expect(reachOf(walk, page, maxEvents)).toBeCloseTo(
            share((pages) => pages.includes(page)),
            9,
          );
        }
        const outcomes = outcomesOf(walk, maxEvents);
        const isProduct = (page = "") => page.startsWith("/product_");
        const [cart, payment, confirmation] = ["/cart", "/payment", "/confirmation"].map((page) =>
          share((pages) => pages.includes(page)),
        );
        // A stay is a second and an exponential remainder.
        const isLong = (page: Page) =>
          Math.exp(-19 / ((walk.seconds[PAGES.indexOf(page)] ?? 0) - 1));
        const leavesHome = share(([page, next]) => page === "/home" && next !== undefined);
        const expected = {
          purchase: [1, confirmation],
          bounce: [1, share((pages) => pages.length === 1)],
          cart: [1, cart],
          payment: [cart, payment],
          confirmation: [payment, confirmation],
          home: [1, share(([page]) => page === "/home")],
          product_a: [
            share(([page, next]) => page === "/home" && isProduct(next)),
            share(([page, next]) => page === "/home" && next === "/product_a"),
          ],
          long_stay: [leavesHome, leavesHome * isLong("/home")],
        };
        expect(Object.keys(outcomes)).toEqual(Object.keys(expected));
        for (const [measure, [of = 0, hit = 0]] of Object.entries(expected)) {
          const found = outcomes[measure as keyof typeof expected];
          expect(found.of, measure).toBeCloseTo(of, 9);
          expect(found.hit, measure).toBeCloseTo(hit, 9);
        }
        for (const page of PAGES) {
          const goesOn = share((pages) => {
            const place = pages.indexOf(page);
            return place >= 0 && place + 1 < pages.length;
          });
          const { of, hit } = stayOf(walk, page, maxEvents);
          expect(of, page).toBeCloseTo(goesOn, 9);
          expect(hit, page).toBeCloseTo(goesOn * isLong(page), 9);
        }
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it("have a bounce share that is the parameter, and 1 if sessions have one event", () => {
    const [cell] = mixtureOf(SHOP, donors);
    if (cell === undefined) throw new Error("no kind of session");
    const walk = walkOf(SHOP, cell.traits);
    expect(outcomesOf(walk, 1).bounce.hit).toBe(1);
    expect(outcomesOf(walk, 30).bounce.hit).toBeCloseTo(2 - lengthOf(walk, 2), 12);
  });
});

describe("the published truth", () => {
  const config = configWith({ GEN_BEHAVIOUR: "shop", GEN_MODEL_T0: "2026-01-05T00:00:00Z" });
  const tEnd = config.t0 + 7 * DAY;
  const truth = shopTruth(config, donors, tEnd, 0);

  it("names each effect once, and every measure", () => {
    const names = truth.effects.map(({ truth: _, ...effect }) => JSON.stringify(effect));
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(truth.effects.map(({ measure }) => measure))).toEqual(new Set(MEASURES));
  });

  it("has shares of weekdays that follow the weights, for the hours in the history", () => {
    const days = truth.effects.filter(({ dimension }) => dimension === "weekday");
    expect(days).toHaveLength(7);
    expect(sum(days.map((day) => day.truth))).toBeCloseTo(1, 9);
    const of = (name: string) => days.find(({ segment }) => segment === name)?.truth ?? 0;
    const { mon, sat, sun } = SHOP.calendar.weekdays;
    // Sessions of returning visitors are longer, and there are more of them on later days.
    expect(of("sat") / of("mon")).toBeCloseTo(sat / mon, 1);
    // The last hour, at 1.0 of 24.2, is left out.
    expect(of("sun") / of("sat")).toBeCloseTo(((sun / sat) * 23.2) / 24.2, 2);
    expect(truth.sessions_until).toBe(isoMicros(tEnd - HOUR));
  });

  it("has no weekdays if the caps rejected sessions", () => {
    const limited = shopTruth(config, donors, tEnd, 1).effects;
    expect(limited.some(({ dimension }) => dimension === "weekday")).toBe(false);
  });

  it("has returns if the history is long enough, and the caps rejected no session", () => {
    const returnsOf = (days: number, rejected = 0) =>
      shopTruth(config, donors, config.t0 + days * DAY, rejected)
        .effects.filter(({ measure }) => measure === "return")
        .map(({ segment }) => segment);
    expect(returnsOf(7)).toEqual(["all", "registered", "anonymous"]);
    expect(returnsOf(3)).toEqual([]);
    expect(returnsOf(7, 1)).toEqual([]);
  });

  it("has long stays of every page, which follow the mean times", () => {
    const stays = truth.effects.filter(({ measure }) => measure === "stay");
    // Few sessions see a page after the confirmation.
    const pages = PAGES.filter((page) => page !== "/confirmation");
    expect(stays.map(({ segment }) => segment).toSorted()).toEqual(pages.toSorted());
    const inOrder = stays.toSorted((one, other) => one.truth - other.truth);
    const { page } = SHOP.timeOnPage;
    const meanOf = ({ segment }: { segment: string }) => page[segment as keyof typeof page] ?? 0;
    expect(inOrder.map(meanOf)).toEqual(inOrder.map(meanOf).toSorted((a, b) => a - b));
  });

  it("has differences of its shares", () => {
    const ofVariant = truth.effects.filter(
      (one) =>
        one.dimension === "variant" && one.measure === "purchase" && one.sessions === "first",
    );
    const [a, b, difference] = [...ofVariant].sort((one, other) =>
      (one.minus ?? "") === (other.minus ?? "")
        ? one.segment.localeCompare(other.segment)
        : Number(one.minus !== undefined) - Number(other.minus !== undefined),
    );
    expect(difference?.minus).toBe("a");
    expect(difference?.truth).toBeCloseTo((b?.truth ?? 0) - (a?.truth ?? 0), 12);
    expect(difference?.truth).toBeGreaterThan(0.004);
  });

  it("is in the manifest of shop, and not of plain", () => {
    const manifestOf = (behaviour: string) => {
      const settings = configWith({ GEN_BEHAVIOUR: behaviour, GEN_SEED: "truth" });
      const run = new GeneratorRun(settings, donors);
      run.advance(settings.t0 + 2 * HOUR);
      return run.manifest(settings.t0 + 2 * HOUR);
    };
    expect(manifestOf("plain")).not.toHaveProperty("truth");
    expect(manifestOf("shop").truth).toMatchObject({ behaviour: "shop", parameters: SHOP });
  });
});

describe("the mean budget of a tick", () => {
  it("is the mean over the jitter, within the limits", () => {
    const limits = fc.record({
      jitterPercent: fc.nat(100),
      minEventsPerTick: fc.nat(20),
      maxEventsPerTick: fc.integer({ min: 20, max: 60 }),
    });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 80, noNaN: true }), limits, (wanted, config) => {
        const steps = 20_000;
        const { jitterPercent, minEventsPerTick, maxEventsPerTick } = config;
        const budgets = Array.from({ length: steps }, (_, step) => {
          const jitter = (jitterPercent / 100) * ((2 * (step + 0.5)) / steps - 1);
          return Math.min(maxEventsPerTick, Math.max(minEventsPerTick, wanted * (1 + jitter)));
        });
        expect(meanBudget(wanted, config)).toBeCloseTo(sum(budgets) / steps, 4);
      }),
      { numRuns: 100, seed: 1 },
    );
  });
});

describe("the expected value of a basket", () => {
  const dear = { ...SHOP, experiment: { ...SHOP.experiment, price: 1.5 } };

  it.each([
    ["a", "/product_a"],
    ["a", "/product_b"],
    ["b", "/product_a"],
    ["b", "/product_b"],
  ] as const)("is the mean of what visitors of the variant %s buy from %s", (variant, page) => {
    const shopping = shoppingOf(dear, variant);
    const rng = seededRng("basket", variant);
    const [from, cart, confirmation] = [page, "/cart", "/confirmation"].map((name) =>
      PAGES.indexOf(name as (typeof PAGES)[number]),
    ) as [number, number, number];
    const orders = Array.from({ length: 20_000 }, () => {
      const session = { from, page: cart, basket: [0, 0] as const };
      shopping.arrive(rng, session);
      const facts = shopping.buy(Object.assign(session, { page: confirmation }));
      return Number(/"order_value":([\d.]+)/.exec(facts)?.[1]);
    });
    const expected = basketValue(dear, variant).added[from] ?? 0;
    expect(sum(orders) / orders.length / expected).toBeCloseTo(1, 1.5);
  });
});
