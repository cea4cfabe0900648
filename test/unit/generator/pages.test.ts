import { describe, expect, it } from "vitest";
import { PAGES } from "../../../contract/streams.ts";
import {
  ENTRY_PAGE,
  EXIT,
  eventTypeOf,
  expectedSessionLength,
  nextPage,
  transitions,
} from "../../../generator/model/pages.ts";
import { seededRng } from "../../../generator/model/random.ts";

describe("page table", () => {
  it.each(PAGES)("has a possible exit from %s", (page) => {
    const sum = Object.values(transitions[page]).reduce((total, share) => total + share, 0);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThan(1);
  });

  it("reaches a stage only from the previous or a later one", () => {
    const stage = { "/home": 0, "/product_a": 1, "/product_b": 1, "/cart": 2 } as const;
    const stages = { ...stage, "/payment": 3, "/confirmation": 4 };
    for (const from of PAGES) {
      for (const to of PAGES) {
        if ((transitions[from][to] ?? 0) > 0) {
          expect(stages[to], `${from} to ${to}`).toBeLessThanOrEqual(stages[from] + 1);
        }
      }
    }
  });

  it("marks only the confirmation as a purchase", () => {
    expect(PAGES.filter((page) => eventTypeOf(page) === "purchase")).toEqual(["/confirmation"]);
  });
});

describe("expected session length", () => {
  it("is 1 if a session may have one event, and grows with the maximum", () => {
    const lengths = [1, 2, 3, 10, 30, 1000].map(expectedSessionLength);
    expect(lengths[0]).toBe(1);
    expect(lengths[1]).toBeCloseTo(1 + 0.84, 12);
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
  });

  it.each([2, 5, 30])("is the average length of sessions limited to %d events", (ceiling) => {
    const rng = seededRng("walks", String(ceiling));
    const walks = 60_000;
    let events = 0;
    for (let walk = 0; walk < walks; walk += 1) {
      let page = ENTRY_PAGE;
      for (let n = 0; n < ceiling && page !== EXIT; n += 1) {
        events += 1;
        page = nextPage(rng, page);
      }
    }
    expect(events / walks).toBeCloseTo(expectedSessionLength(ceiling), 1);
  });
});
