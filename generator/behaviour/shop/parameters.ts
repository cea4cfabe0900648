import { z } from "zod";
import { PAGES } from "../../../contract/streams.ts";
import { DAY, dateOf, type Micros } from "../../../contract/time.ts";
import { type ReturnSource, returnSources } from "../../catalogue/sources.ts";

const share = z.number().min(0).max(1);
const factor = z.number().positive().max(5);
const seconds = z.number().min(1).max(3600);
const name = z.string().regex(/^[a-z0-9_]+$/);
/** A name that is not listed has the factor 1. */
const factors = z.record(z.string(), factor);

const EPSILON = 1e-9;
const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

const landing = z
  .partialRecord(z.enum(PAGES), share)
  .refine((pages) => Math.abs(sumOf(pages) - 1) < EPSILON, "the shares must sum to 1");

const origins = Object.keys(returnSources) as [ReturnSource, ...ReturnSource[]];
const chain = z
  .record(z.enum(origins), share)
  .refine((shares) => Math.abs(sumOf(shares) - 1) < EPSILON, "the shares must sum to 1");

/** Weights average 1, so that the base intensity holds in the long run. */
const averagesOne = (weights: Readonly<Record<string, number>>): boolean =>
  Math.abs(sumOf(weights) / Object.keys(weights).length - 1) < EPSILON;

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** Every parameter of the behaviour `shop`. A channel is utm_medium, or referer_medium without one. */
export const shopSchema = z.strictObject({
  /** Weights of the intensity by UTC date. */
  calendar: z.strictObject({
    weekdays: z.record(z.enum(WEEKDAYS), factor).refine(averagesOne, "must average 1"),
    /** By MM-DD; multiply the weekday's weight. */
    holidays: z
      .record(z.string().regex(/^\d\d-\d\d$/), factor)
      .refine(averagesOne, "must average 1"),
  }),
  /** Probabilities of the next page; the remainder to 1 leaves the site. */
  pages: z.record(
    z.enum(PAGES),
    z.partialRecord(z.enum(PAGES), share).refine((row) => sumOf(row) < 1, "a page needs a way out"),
  ),
  /** Factors of these probabilities. */
  steps: z.strictObject({
    /** Product to cart. */
    cart: z.strictObject({ channel: factors, campaign: factors, returning: factor }),
    /** Cart to payment. */
    payment: z.strictObject({ device: factors }),
    /** Payment to confirmation. */
    confirmation: z.strictObject({
      country: factors,
      /** By name and major version, such as `Safari 26`; only scenarios have it. */
      browser: z.record(z.string(), z.number().min(0).max(5)).optional(),
    }),
  }),
  /** Share of sessions with one page, by channel, times a factor of the device. */
  bounce: z.strictObject({
    otherwise: share,
    channel: z.record(z.string(), share),
    device: factors,
  }),
  /** First page: by campaign, else by channel, else `otherwise`. */
  landing: z.strictObject({
    otherwise: landing,
    channel: z.record(z.string(), landing),
    campaign: z.record(z.string(), landing),
  }),
  /** Share of /product_a among steps from /home to a product, by country. */
  affinity: z.strictObject({ otherwise: share, country: z.record(z.string(), share) }),
  /** Mean seconds by page, times a factor of the device. */
  timeOnPage: z.strictObject({ page: z.record(z.enum(PAGES), seconds), device: factors }),
  visitors: z
    .strictObject({
      /** Share of visitors who are registered. */
      registered: share.max(0.9),
      /** Factor of a registered visitor's returns; the others have fewer, so that the mean stays. */
      registeredFactor: factor,
      /** Later sessions that are expected of a visitor, and their mean hours after the first one. */
      returns: z.array(z.strictObject({ sessions: share, meanHours: z.number().positive() })),
    })
    .refine(
      ({ registered, registeredFactor }) => registered * registeredFactor <= 1,
      "registered times registeredFactor must not be above 1",
    ),
  money: z.strictObject({
    currency: z.string().regex(/^[A-Z]{3}$/),
    price: z.strictObject({
      "/product_a": z.number().positive(),
      "/product_b": z.number().positive(),
    }),
    /** Shares of additions to the basket with 1, 2, … units. */
    quantity: z
      .array(share)
      .min(1)
      .refine(
        (shares) => Math.abs(sumOf(Object.fromEntries(shares.entries())) - 1) < EPSILON,
        "the shares must sum to 1",
      ),
    /** Share of steps from /home to a product that a search leads to. */
    search: share,
  }),
  /** Assigned per visitor; page_url carries ?exp=NAME.VARIANT. */
  experiment: z.strictObject({
    name,
    /** Share of visitors with variant b. */
    share: share,
    /** Factor of variant b on the step from payment to confirmation. */
    effect: factor,
    /** Factor of variant b on the prices; 1 if missing. */
    price: factor.optional(),
  }),
  /** Source of later sessions by the channel of the visitor's first one. */
  referralChain: z.strictObject({
    paidChannels: z.array(z.string()),
    afterPaid: chain,
    afterUnpaid: chain,
  }),
});
export type ShopParameters = z.infer<typeof shopSchema>;

export const SHOP: ShopParameters = shopSchema.parse({
  calendar: {
    weekdays: { mon: 1, tue: 0.95, wed: 0.95, thu: 0.9, fri: 0.95, sat: 1.1, sun: 1.15 },
    holidays: {
      "01-01": 0.6,
      "05-01": 0.8,
      "11-11": 1.5,
      "11-27": 1.6,
      "12-12": 1.2,
      "12-24": 0.7,
      "12-25": 0.6,
    },
  },
  pages: {
    "/home": { "/product_a": 0.5, "/product_b": 0.4 },
    "/product_a": { "/home": 0.36, "/product_b": 0.42, "/cart": 0.06 },
    "/product_b": { "/home": 0.36, "/product_a": 0.42, "/cart": 0.05 },
    "/cart": { "/product_a": 0.3, "/product_b": 0.25, "/payment": 0.2 },
    "/payment": { "/cart": 0.16, "/confirmation": 0.44 },
    "/confirmation": { "/home": 0.2 },
  },
  steps: {
    cart: {
      channel: { cpc: 1.1, email: 1.35, paid_social: 0.75, social: 0.8, affiliate: 1.2 },
      campaign: { product_a_launch: 1.25, product_b_season: 0.7, win_back: 1.2 },
      returning: 1.7,
    },
    payment: { device: { Computer: 1.2, Mobile: 0.8 } },
    confirmation: { country: { DE: 1.15, US: 1.1, IN: 0.7, BR: 0.75, NG: 0.6 } },
  },
  bounce: {
    otherwise: 0.3,
    channel: { direct: 0.22, email: 0.15, search: 0.3, social: 0.42, paid_social: 0.48, cpc: 0.28 },
    device: { Mobile: 1.15, Computer: 0.95 },
  },
  landing: {
    otherwise: { "/home": 1 },
    channel: {
      direct: { "/home": 0.9, "/cart": 0.1 },
      search: { "/home": 0.7, "/product_a": 0.15, "/product_b": 0.15 },
      social: { "/home": 0.6, "/product_a": 0.2, "/product_b": 0.2 },
      affiliate: { "/product_a": 0.5, "/product_b": 0.5 },
    },
    campaign: {
      product_a_launch: { "/product_a": 0.6, "/home": 0.4 },
      product_b_season: { "/product_b": 0.6, "/home": 0.4 },
      win_back: { "/cart": 0.6, "/home": 0.4 },
    },
  },
  affinity: { otherwise: 0.57, country: { DE: 0.7, FR: 0.65, JP: 0.35, BR: 0.42 } },
  timeOnPage: {
    page: {
      "/home": 15,
      "/product_a": 35,
      "/product_b": 30,
      "/cart": 25,
      "/payment": 45,
      "/confirmation": 20,
    },
    device: { Mobile: 0.8, Computer: 1.1 },
  },
  visitors: {
    registered: 0.2,
    registeredFactor: 2.5,
    returns: [
      { sessions: 0.1, meanHours: 4 },
      { sessions: 0.25, meanHours: 2 * 24 },
      { sessions: 0.55, meanHours: 10 * 24 },
    ],
  },
  money: {
    currency: "EUR",
    price: { "/product_a": 24.9, "/product_b": 39.9 },
    quantity: [0.8, 0.15, 0.05],
    search: 0.2,
  },
  experiment: { name: "checkout", share: 0.5, effect: 1.3 },
  referralChain: {
    paidChannels: ["cpc", "paid_social", "affiliate", "offline"],
    afterPaid: { direct: 0.4, search: 0.3, newsletter: 0.12, reminder: 0.08, social: 0.1 },
    afterUnpaid: { direct: 0.6, search: 0.2, newsletter: 0.12, reminder: 0.03, social: 0.05 },
  },
});

export type Weekday = (typeof WEEKDAYS)[number];

/** Days are UTC dates; 1970-01-01, day 0, was a Thursday. */
export const weekdayOf = (at: Micros): Weekday =>
  WEEKDAYS[(Math.floor(at / DAY) + 3) % 7] as Weekday;

const weightOf = ({ calendar }: ShopParameters, at: Micros): number =>
  calendar.weekdays[weekdayOf(at)] * (calendar.holidays[dateOf(at).slice(5)] ?? 1);

/** Cached per day. */
export function dayWeight(parameters: ShopParameters): (at: Micros) => number {
  let cachedDay = Number.NaN;
  let cached = 1;
  return (at) => {
    const day = Math.floor(at / DAY);
    if (day !== cachedDay) {
      cachedDay = day;
      cached = weightOf(parameters, at);
    }
    return cached;
  };
}
