import { PAGES, type Page } from "../../../contract/streams.ts";
import { LONG_STAY_SECONDS, type Measure, type MONEY } from "../../../contract/truth.ts";
import { goesOnFrom, lengthOf, reachOf, type Walk } from "./walk.ts";

/** Probabilities that a session counts, and that it counts with a hit. */
export interface Outcome {
  readonly of: number;
  readonly hit: number;
}

export type SessionMeasure = Exclude<
  Measure,
  "stay" | "direct" | "return" | "start" | (typeof MONEY)[number]
>;

const [HOME, A, B] = [
  PAGES.indexOf("/home"),
  PAGES.indexOf("/product_a"),
  PAGES.indexOf("/product_b"),
];

/** Exact outcomes of one kind of session. */
export function outcomesOf(walk: Walk, maxEvents: number): Record<SessionMeasure, Outcome> {
  const goesOn = lengthOf(walk, Math.min(2, maxEvents)) - 1;
  const [cart, payment, confirmation] = (["/cart", "/payment", "/confirmation"] as const).map(
    (page) => reachOf(walk, page, maxEvents),
  ) as [number, number, number];
  const home = walk.landing[HOME] ?? 0;
  const onward = maxEvents > 1 ? (walk.first[HOME] ?? []) : [];
  const [toA, toB] = [home * (onward[A] ?? 0), home * (onward[B] ?? 0)];
  const leavesHome = home * onward.reduce((sum, p) => sum + p, 0);
  return {
    purchase: { of: 1, hit: confirmation },
    bounce: { of: 1, hit: 1 - goesOn },
    cart: { of: 1, hit: cart },
    payment: { of: cart, hit: payment },
    confirmation: { of: payment, hit: confirmation },
    home: { of: 1, hit: home },
    product_a: { of: toA + toB, hit: toA },
    long_stay: { of: leavesHome, hit: leavesHome * longStay(walk.seconds[HOME] ?? 1) },
  };
}

/** Of the first stay on a page that another page follows. */
export function stayOf(walk: Walk, page: Page, maxEvents: number): Outcome {
  const of = goesOnFrom(walk, page, maxEvents);
  return { of, hit: of * longStay(walk.seconds[PAGES.indexOf(page)] ?? 1) };
}

/** Of a second and an exponential remainder. */
const longStay = (mean: number): number => Math.exp(-(LONG_STAY_SECONDS - 1) / (mean - 1));
