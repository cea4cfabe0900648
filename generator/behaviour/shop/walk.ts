import { PAGES, type Page } from "../../../contract/streams.ts";
import type { ShopParameters } from "./parameters.ts";
import type { SessionTraits } from "./session-traits.ts";

/** Probabilities of one kind of session, by page in the order of PAGES. */
export interface Walk {
  readonly landing: readonly number[];
  /** Of the next page; the remainder to 1 leaves the site. */
  readonly first: readonly (readonly number[])[];
  readonly later: readonly (readonly number[])[];
  /** Mean seconds on a page. */
  readonly seconds: readonly number[];
}

/** Leaves every page a way out. */
const MOST = 0.95;
const [A, B] = [PAGES.indexOf("/product_a"), PAGES.indexOf("/product_b")];
const [CART, CONFIRMATION] = [PAGES.indexOf("/cart"), PAGES.indexOf("/confirmation")];

export function walkOf(parameters: ShopParameters, traits: SessionTraits): Walk {
  const later = PAGES.map((page) => rowOf(parameters, traits, page));
  const bounce = bounceOf(parameters, traits);
  return {
    landing: landingOf(parameters, traits),
    first: later.map((row) => scaled(row, (1 - bounce) / sum(row))),
    later,
    seconds: PAGES.map(
      (page) =>
        parameters.timeOnPage.page[page] * factor(parameters.timeOnPage.device, traits.device),
    ),
  };
}

function rowOf(parameters: ShopParameters, traits: SessionTraits, page: Page): number[] {
  const row = PAGES.map((to) => parameters.pages[page][to] ?? 0);
  if (page === "/home") return withAffinity(parameters, traits, row);
  const forward = FORWARD[page];
  if (forward === undefined) return row;
  const target = PAGES.indexOf(forward);
  const before = row[target] ?? 0;
  const after = Math.min(MOST, before * stepFactor(parameters, traits, forward));
  // The other ways keep their proportions.
  return row.map((p, to) => (to === target ? after : (p * (1 - after)) / (1 - before)));
}

const FORWARD: Partial<Record<Page, "/cart" | "/payment" | "/confirmation">> = {
  "/product_a": "/cart",
  "/product_b": "/cart",
  "/cart": "/payment",
  "/payment": "/confirmation",
};

function stepFactor(
  { steps, experiment }: ShopParameters,
  traits: SessionTraits,
  step: "/cart" | "/payment" | "/confirmation",
): number {
  if (step === "/payment") return factor(steps.payment.device, traits.device);
  if (step === "/confirmation") {
    const { country, browser = {} } = steps.confirmation;
    const effect = traits.variant === "b" ? experiment.effect : 1;
    return factor(country, traits.country) * factor(browser, traits.browser) * effect;
  }
  const { channel, campaign, returning } = steps.cart;
  const source = factor(channel, traits.channel) * factor(campaign, traits.campaign);
  return source * (traits.isReturning ? returning : 1);
}

function withAffinity({ affinity }: ShopParameters, traits: SessionTraits, row: readonly number[]) {
  const share = affinity.country[traits.country] ?? affinity.otherwise;
  const products = (row[A] ?? 0) + (row[B] ?? 0);
  return row.map((p, to) => (to === A ? products * share : to === B ? products * (1 - share) : p));
}

function bounceOf({ bounce }: ShopParameters, traits: SessionTraits): number {
  const share = bounce.channel[traits.channel] ?? bounce.otherwise;
  return Math.min(MOST, share * factor(bounce.device, traits.device));
}

function landingOf({ landing }: ShopParameters, { campaign, channel }: SessionTraits): number[] {
  const shares = landing.campaign[campaign] ?? landing.channel[channel] ?? landing.otherwise;
  return PAGES.map((page) => shares[page] ?? 0);
}

const factor = (factors: Readonly<Record<string, number>>, name: string): number =>
  factors[name] ?? 1;
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
const scaled = (row: readonly number[], by: number): number[] => row.map((p) => p * by);

/** Probabilities of being on each page at event number 1, 2, … */
function* occupancy(walk: Walk, maxEvents: number): Generator<readonly number[]> {
  let onPage: readonly number[] = walk.landing;
  for (let event = 1; event <= maxEvents && sum(onPage) > NEGLIGIBLE; event += 1) {
    yield onPage;
    onPage = moved(onPage, event === 1 ? walk.first : walk.later);
  }
}

const NEGLIGIBLE = 1e-12;

/** Plain loops: a dataset has thousands of kinds of sessions. */
function moved(onPage: readonly number[], rows: readonly (readonly number[])[]): readonly number[] {
  const next = PAGES.map(() => 0);
  for (let from = 0; from < onPage.length; from += 1) {
    const share = onPage[from] ?? 0;
    const row = rows[from];
    if (share === 0 || row === undefined) continue;
    for (let to = 0; to < next.length; to += 1) {
      next[to] = (next[to] ?? 0) + share * (row[to] ?? 0);
    }
  }
  return next;
}

/** Expected page events. */
export function lengthOf(walk: Walk, maxEvents: number): number {
  let length = 0;
  for (const onPage of occupancy(walk, maxEvents)) length += sum(onPage);
  return length;
}

/** Expected value of the basket when a visitor lands in the cart, and of an addition by product page. */
export interface BasketValue {
  readonly landing: number;
  readonly added: readonly number[];
}

/** Returns the expected purchases of a session, and their value. A purchase empties the basket. */
export function purchasesOf(walk: Walk, basket: BasketValue, maxEvents: number) {
  let values: readonly number[] = PAGES.map((_, page) =>
    page === CART ? (walk.landing[CART] ?? 0) * basket.landing : 0,
  );
  let [purchases, revenue, event] = [0, 0, 0];
  for (const onPage of occupancy(walk, maxEvents)) {
    event += 1;
    purchases += onPage[CONFIRMATION] ?? 0;
    revenue += values[CONFIRMATION] ?? 0;
    const rows = event === 1 ? walk.first : walk.later;
    const kept = values.map((value, page) => (page === CONFIRMATION ? 0 : value));
    const added = onPage.map(
      (share, page) => share * (basket.added[page] ?? 0) * (rows[page]?.[CART] ?? 0),
    );
    values = moved(kept, rows).map((value, to) => (to === CART ? value + sum(added) : value));
  }
  return { purchases, revenue };
}

/** Probabilities that the page is seen first at event number 1, 2, …: a walk that ends there. */
function firstVisits(walk: Walk, page: Page, maxEvents: number): number[] {
  const target = PAGES.indexOf(page);
  const ending = (rows: Walk["first"]) =>
    rows.map((row, from) => (from === target ? row.map(() => 0) : row));
  const until = { ...walk, first: ending(walk.first), later: ending(walk.later) };
  return [...occupancy(until, maxEvents)].map((onPage) => onPage[target] ?? 0);
}

/** Probability that a session has the page. */
export const reachOf = (walk: Walk, page: Page, maxEvents: number): number =>
  sum(firstVisits(walk, page, maxEvents));

/** Probability that a session has the page, and another one after its first visit. */
export function goesOnFrom(walk: Walk, page: Page, maxEvents: number): number {
  const onward = (rows: Walk["first"]): number => sum(rows[PAGES.indexOf(page)] ?? []);
  const [first = 0, ...later] = firstVisits(walk, page, maxEvents).slice(0, maxEvents - 1);
  return first * onward(walk.first) + sum(later) * onward(walk.later);
}
