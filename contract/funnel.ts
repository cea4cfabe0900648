import { z } from "zod";

/** Stage with page patterns; a final `*` matches any rest of the path. */
const stage = z.strictObject({
  stage: z.string().trim().min(1).max(100),
  pages: z
    .array(z.string().regex(/^[^*]+\*?$/, { error: "is not a page: * is allowed only at the end" }))
    .min(1, { error: "needs at least one page" }),
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

/** Default funnel of a data set, as in sql/ddl/40_dm/05_funnel.sql. */
export const DEFAULT_FUNNEL: Funnel = [
  { stage: "home", pages: ["/home"] },
  { stage: "product", pages: ["/product_a", "/product_b"] },
  { stage: "cart", pages: ["/cart"] },
  { stage: "payment", pages: ["/payment"] },
  { stage: "confirmation", pages: ["/confirmation"] },
];
