import { expect, test } from "vitest";
import {
  DEFAULT_FUNNEL,
  funnelSchema,
  SESSION_PAUSE_MINUTES,
  siteSchema,
} from "../../../contract/site.ts";
import { PAGES } from "../../../contract/streams.ts";
import { readStatements } from "../../../warehouse/sql.ts";

test("the default funnel has every page of the generator, and the SQL has the same defaults", () => {
  expect(DEFAULT_FUNNEL.flatMap(({ pages }) => pages)).toEqual(PAGES);
  const [view] = readStatements("ddl/40_dm/05_site.sql");
  expect(view).toContain(`'${JSON.stringify(DEFAULT_FUNNEL)}'`);
  expect(view).toContain(`${SESSION_PAUSE_MINUTES}) AS session_pause`);
  expect(funnelSchema.parse(DEFAULT_FUNNEL)).toEqual(DEFAULT_FUNNEL);
});

test.each([
  ["no stage", []],
  ["a stage without a page", [{ stage: "a", pages: [] }]],
  ["a stage twice", [1, 2].map(() => ({ stage: "a", pages: ["/a"] }))],
  ["a pattern in the middle", [{ stage: "a", pages: ["/a*b"] }]],
  ["another key", [{ stage: "a", pages: ["/a"], url: "/a" }]],
  ["too many", Array.from({ length: 33 }, (_, i) => ({ stage: `s${i}`, pages: ["/a"] }))],
])("%s is refused", (_, funnel) => {
  expect(funnelSchema.safeParse(funnel).success).toBe(false);
});

test("a page without a slash is the path with it", () => {
  const funnel = [{ stage: "start", pages: ["Home", "news/*", "/cart"] }];
  expect(funnelSchema.parse(funnel)[0]?.pages).toEqual(["/Home", "/news/*", "/cart"]);
});

test.each(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "America/Port-au-Prince"])(
  "the zone %s is allowed",
  (timezone) => {
    expect(siteSchema.safeParse({ timezone }).success).toBe(true);
  },
);

test.each(["", "Berlin", "+02:00", "CET", "Europe/Nowhere"])(
  "the zone %j is refused",
  (timezone) => {
    expect(siteSchema.safeParse({ timezone }).success).toBe(false);
  },
);
