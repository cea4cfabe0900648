import { z } from "zod";

/** A stay on a page is long from this many seconds on. */
export const LONG_STAY_SECONDS = 20;

/** A return counts within this time after the first session. */
export const RETURN_DAYS = 3;

/** What an effect counts; sql/etl/load_dm/truth.sql has the words, truth_outcomes.sql the meaning. */
export const MEASURES = [
  "purchase",
  "bounce",
  "cart",
  "payment",
  "confirmation",
  "home",
  "product_a",
  "long_stay",
  "stay",
  "direct",
  "return",
  "start",
  "revenue",
  "order_value",
] as const;
/** Measures that are a mean of money, not a share. */
export const MONEY = ["revenue", "order_value"] as const satisfies readonly Measure[];
export type Measure = (typeof MEASURES)[number];

const DIMENSIONS = [
  "all",
  "device",
  "medium",
  "campaign",
  "country",
  "variant",
  "browser",
  "page",
  "first_medium",
  "account",
  "weekday",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Values that a manifest can hold. */
export const jsonObject = z.record(z.string(), z.json());

const instant = z.iso.datetime({ precision: 6 });

/** Only sessions that begin in it; half-open. */
const windowSchema = z.strictObject({ from: instant, until: instant });
export type Window = z.infer<typeof windowSchema>;

/** An expected value that the behaviour's parameters determine. */
const effectSchema = z.strictObject({
  /** `first` and `second` have one session per visitor, so that they are independent. */
  sessions: z.enum(["first", "second", "any"]),
  measure: z.enum(MEASURES),
  dimension: z.enum(DIMENSIONS),
  segment: z.string(),
  /** The effect is the difference from this segment. */
  minus: z.string().optional(),
  truth: z.number(),
  /** Missing if the parameters are those of the whole history. */
  window: windowSchema.optional(),
});
export type Effect = z.infer<typeof effectSchema>;

/** What is true in a generated history. */
export const truthSchema = z.strictObject({
  behaviour: z.string(),
  parameters: jsonObject,
  /** What changes when; missing without a scenario. */
  scenario: jsonObject.optional(),
  /** Sessions that begin later may end after the history. */
  sessions_until: instant,
  effects: z.array(effectSchema),
});
export type Truth = z.infer<typeof truthSchema>;
