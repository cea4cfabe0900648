import { type EventType, PAGES, type Page } from "../../contract/streams.ts";
import { type Rng, uniform } from "./random.ts";

/** Transition probabilities; the remainder to 1 is exit. No stage is skipped, so the funnel narrows. */
export const transitions: Record<Page, Partial<Record<Page, number>>> = {
  "/home": { "/product_a": 0.48, "/product_b": 0.36 },
  "/product_a": { "/home": 0.2, "/product_b": 0.4, "/cart": 0.26 },
  "/product_b": { "/home": 0.2, "/product_a": 0.42, "/cart": 0.24 },
  "/cart": { "/product_a": 0.26, "/product_b": 0.2, "/payment": 0.34 },
  "/payment": { "/cart": 0.16, "/confirmation": 0.6 },
  "/confirmation": { "/home": 0.25 },
};

export type PageIndex = number;
export const ENTRY_PAGE: PageIndex = PAGES.indexOf("/home");
export const EXIT = -1;

const cumulated: readonly (readonly number[])[] = PAGES.map((from) => {
  let sum = 0;
  return PAGES.map((to) => (sum += transitions[from][to] ?? 0));
});

export function nextPage(rng: Rng, page: PageIndex): PageIndex {
  const share = uniform(rng);
  const limits = cumulated[page] ?? [];
  for (let to = 0; to < limits.length; to += 1) {
    if (share < (limits[to] ?? 0)) return to;
  }
  return EXIT;
}

export const eventTypeOf = (page: Page): EventType =>
  page === "/confirmation" ? "purchase" : "pageview";

/** Returns the exact expected number of events: the sum of the probabilities of reaching event n. */
export function expectedSessionLength(maxEvents: number): number {
  let onPage: number[] = PAGES.map((_, page) => (page === ENTRY_PAGE ? 1 : 0));
  let length = 0;
  for (let event = 0; event < maxEvents; event += 1) {
    const stillThere = onPage.reduce((sum, share) => sum + share, 0);
    if (stillThere < 1e-15) break;
    length += stillThere;
    onPage = PAGES.map((to) =>
      PAGES.reduce((sum, from, i) => sum + (onPage[i] ?? 0) * (transitions[from][to] ?? 0), 0),
    );
  }
  return length;
}
