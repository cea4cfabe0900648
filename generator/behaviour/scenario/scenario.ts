import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { UserError } from "../../../contract/errors.ts";
import { DAY, MINUTE, type Micros, parseMicros } from "../../../contract/time.ts";
import { EVENT_DEFECTS } from "../../model/defects.ts";
import { didYouMean } from "../../suggestion.ts";
import { shopSchema } from "../shop/parameters.ts";

const text = z.string().trim().min(1);
const share = z.number().gt(0).max(1);

/** An instant of model time, to the minute. */
const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d$/)
  .transform((at) => parseMicros(`${at}:00`))
  .refine((at) => !Number.isNaN(at), "must be a time like 2026-03-05 14:07 (UTC)");

/** From `from`, to before `to`; without `to` until the end. */
const span = { what: text, from: instant, to: instant.optional() };

const { steps, bounce, landing, affinity, timeOnPage } = shopSchema.shape;
/** Parameters that differ from those of `shop`. */
const partial = <T extends z.ZodObject>(object: T) => object.partial();
const changes = {
  steps: z
    .strictObject({
      cart: partial(steps.shape.cart),
      payment: partial(steps.shape.payment),
      confirmation: partial(steps.shape.confirmation),
    })
    .partial()
    .optional(),
  bounce: partial(bounce).optional(),
  landing: partial(landing).optional(),
  affinity: partial(affinity).optional(),
  timeOnPage: partial(timeOnPage).optional(),
};

const parameters = z.strictObject({
  ...changes,
  experiment: shopSchema.shape.experiment.optional(),
  pages: shopSchema.shape.pages.optional(),
});

const eventSchema = z.discriminatedUnion("kind", [
  /** Visitors come in other numbers or behave otherwise. */
  z.strictObject({
    kind: z.literal("visitors"),
    ...span,
    /** Factor of the intensity. */
    demand: z.number().positive().max(5).default(1),
    parameters: z.strictObject(changes).default({}),
  }),
  /** A share of the sessions is by bots that view product pages. */
  z.strictObject({
    kind: z.literal("bots"),
    ...span,
    demand: z.number().positive().max(5).default(1),
    share: share.max(0.9),
  }),
  /** A share of the page events has a defect. */
  z.strictObject({
    kind: z.literal("defect"),
    ...span,
    defect: z.enum(EVENT_DEFECTS),
    share,
    /** Only sessions on this type of device. */
    device: text.optional(),
  }),
]);
export type ScenarioEvent = z.infer<typeof eventSchema>;

const QUARTER: Micros = 15 * MINUTE;
/** The budget of a tick is cut at quarters of an hour, so only there may the intensity change. */
const isOnQuarter = (event: ScenarioEvent): boolean =>
  event.kind === "defect" ||
  event.demand === 1 ||
  [event.from, event.to ?? 0].every((at) => at % QUARTER === 0);

const scenarioSchema = z
  .strictObject({
    title: text,
    /** One line: the question, without its answer. */
    about: text,
    seed: text,
    /** T0, UTC. */
    start: instant,
    days: z.number().positive().max(60),
    /** Page events per model minute. */
    rate: z.number().positive(),
    timezone: text.default("UTC"),
    /** A later version of a browser that a share of its users has. */
    update: z.strictObject({ browser: text, from: text, to: text, share }).optional(),
    parameters: parameters.default({}),
    events: z.array(eventSchema).default([]),
    /** What a good analyst notices. */
    notice: z.array(text).min(1),
    /** Statements that show it. */
    queries: z.array(text).min(1),
  })
  .superRefine(({ start, days, events }, context) => {
    events.forEach((event, index) => {
      const end = event.to ?? start + days * DAY;
      const problem =
        event.from < start || end > start + days * DAY
          ? "is outside of the history"
          : end <= event.from
            ? "ends before it begins"
            : isOnQuarter(event)
              ? undefined
              : "must begin and end at a quarter of an hour, because it changes the intensity";
      if (problem) context.addIssue({ code: "custom", path: ["events", index], message: problem });
    });
  });

export interface Scenario extends z.infer<typeof scenarioSchema> {
  readonly name: string;
}

export const SCENARIOS_ROOT = join(import.meta.dirname, "../../../scenarios");

export const scenarioNames = (): string[] =>
  globSync("*.yaml", { cwd: SCENARIOS_ROOT })
    .map((file) => basename(file, ".yaml"))
    .toSorted();

/** @throws UserError if there is no scenario with the name */
export function findScenario(name: string): Scenario {
  const names = scenarioNames();
  if (!names.includes(name)) {
    throw new UserError(
      `There is no scenario ${name}${didYouMean(name, names) || "."} Allowed: ${names.join(", ")}`,
      "run `pipeline scenario` for a list",
    );
  }
  return parseScenario(name, readFileSync(join(SCENARIOS_ROOT, `${name}.yaml`), "utf8"));
}

/** @throws UserError that names the file, the place and the problem */
export function parseScenario(name: string, text: string): Scenario {
  const { success, data, error } = scenarioSchema.safeParse(parse(text));
  if (success) return { ...data, name };
  const problems = error.issues.map(
    ({ path, message }) => `  ${path.join(".") || "(top)"}: ${message}`,
  );
  throw new UserError(
    `scenarios/${name}.yaml is not a scenario:\n${problems.join("\n")}`,
    "correct the file; generator/behaviour/scenario/scenario.ts has the schema",
  );
}
