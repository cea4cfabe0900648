import { z } from "zod";

/** A path; every path of an event begins with a slash. */
const page = z
  .string()
  .regex(/^[^*]+\*?$/, { error: "is not a page: * is allowed only at the end" })
  .transform((path) => (path.startsWith("/") ? path : `/${path}`));

/** Stage with page patterns; a final `*` matches any rest of the path. */
const stage = z.strictObject({
  stage: z.string().trim().min(1).max(100),
  pages: z.array(page).min(1, { error: "needs at least one page" }),
});

/** Stages in order. A page of several stages counts for the last stage. */
export const funnelSchema = z
  .array(stage)
  .min(1, { error: "needs at least one stage" })
  .max(32, { error: "has more than 32 stages" })
  .refine((stages) => new Set(stages.map((one) => one.stage)).size === stages.length, {
    error: "has a stage twice",
  });
export type Funnel = z.infer<typeof funnelSchema>;

/** A name of the zone database; an offset has no days that a change of the clock makes longer. */
const timezoneSchema = z.string().refine((name) => name === "UTC" || isZone(name), {
  error: "is not a time zone. Allowed: UTC, or a name such as Europe/Berlin",
});

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Z][\w+-]*\/[\w+/-]+$/.test(name);
  } catch {
    return false;
  }
}

/** What a dataset says of its site; absent parts have the defaults. */
export const siteSchema = z.strictObject({
  funnel: funnelSchema.optional(),
  /** Time zone of the days and hours of the marts; default: UTC. */
  timezone: timezoneSchema.optional(),
  /** Minutes after which a visitor's next event begins a session; at most so much of a pause is engagement. */
  session_pause: z.int().min(1).max(1440).optional(),
});
export type Site = z.infer<typeof siteSchema>;

/** Default session pause in minutes, as in Google Analytics 4 and in sql/ddl/40_dm/05_site.sql. */
export const SESSION_PAUSE_MINUTES = 30;

/** Default funnel of a dataset, as in sql/ddl/40_dm/05_site.sql. */
export const DEFAULT_FUNNEL: Funnel = [
  { stage: "home", pages: ["/home"] },
  { stage: "product", pages: ["/product_a", "/product_b"] },
  { stage: "cart", pages: ["/cart"] },
  { stage: "payment", pages: ["/payment"] },
  { stage: "confirmation", pages: ["/confirmation"] },
];
