import { z } from "zod";
import { DAY, HOUR, MINUTE, type Micros, parseMicros } from "../contract/time.ts";
import { BEHAVIOURS } from "./behaviour/config.ts";
import { scenarioNames } from "./behaviour/scenario/scenario.ts";
import { DEFECT_FORMS, parseDefectRates } from "./model/defects.ts";

export const INSTANT_FORMS =
  "an instant from 2000 to 2099 like 2026-01-01T00:00:00Z, or now, now-6h, now-7d";

/** First valid instant; the pipeline marks timestamps outside the range as broken. */
const EARLIEST = parseMicros("2000-01-01T00:00:00Z");
const LATEST = parseMicros("2100-01-01T00:00:00Z");

const UNITS: Readonly<Record<string, Micros>> = { m: MINUTE, h: HOUR, d: DAY };

export const isRelative = (text: string): boolean => text.startsWith("now");

/** Resolves an instant; relative ones are truncated to the minute. NaN for invalid text. */
export function resolveInstant(text: string, now: Micros): Micros {
  const at = isRelative(text) ? countBack(text, now) : parseMicros(text);
  return at >= EARLIEST && at < LATEST ? at : Number.NaN;
}

function countBack(text: string, now: Micros): Micros {
  const match = /^now(?:-(\d{1,6})([mhd]))?$/.exec(text);
  if (!match) return Number.NaN;
  const back = Number(match[1] ?? 0) * (UNITS[match[2] ?? "m"] ?? 0);
  return Math.floor((now - back) / MINUTE) * MINUTE;
}

interface Variable {
  readonly schema: z.ZodType<unknown, string | undefined>;
  /** Default in the user's notation; null if the variable is optional. */
  readonly fallback: string | null;
  readonly allowed: string;
  readonly meaning: string;
  /** True if a new value applies to what a running history generates from then on. */
  readonly isChangeable?: true;
}

const decimal = (min: number, max: number) =>
  z
    .string()
    .regex(/^[+-]?\d*\.?\d+(e[+-]?\d+)?$/i)
    .transform(Number)
    .pipe(z.number().min(min).max(max));

const integer = (min: number, max: number) => ({
  schema: decimal(min, max).pipe(z.int()),
  allowed: `a whole number from ${min} to ${max}`,
});

const number = (min: number, max: number) => ({
  schema: decimal(min, max),
  allowed: `a number from ${min} to ${max}`,
});

const boolean = { schema: z.stringbool(), allowed: "true or false" };
const text = (allowed: string) => ({ schema: z.string().min(1), allowed });
const choice = <const T extends readonly [string, ...string[]]>(...values: T) => ({
  schema: z.enum(values),
  allowed: values.join(" or "),
});

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: zone });
    return /^[A-Za-z]/.test(zone);
  } catch {
    return false;
  }
}

const timezone = {
  schema: z.string().refine(isZone),
  allowed: "an IANA time zone like Europe/Berlin",
};

const defectRates = {
  schema: z.string().transform((value, context) => {
    const rates = parseDefectRates(value);
    if (rates) return rates;
    context.addIssue({ code: "custom", message: DEFECT_FORMS });
    return z.NEVER;
  }),
  allowed: DEFECT_FORMS,
};

/** Selects shop, but keeps the behaviour of a stored state. */
export const SHOP_IF_NEW = "shop-if-new";

export const NO_SCENARIO = "none";
const scenario = {
  schema: z.string().refine((name) => name === NO_SCENARIO || scenarioNames().includes(name)),
  allowed: "none, or the name of a file in scenarios/, such as calm-week",
};

/** All variables of the generator; tests compare docs and containers with this table. */
export const variables = {
  GEN_ENABLED: { ...boolean, fallback: "true", meaning: "Whether the generator publishes" },
  GEN_RUN_MODE: {
    ...choice("live", "backfill", "backfill-then-live"),
    fallback: "live",
    meaning:
      "Follow the clock, write a history up to GEN_MODEL_T_END, or both if the environment is empty",
  },
  GEN_PROFILE: {
    ...choice("standard", "daily-wave"),
    fallback: "standard",
    meaning: "Named set of defaults",
  },
  GEN_SEED: {
    ...text("any text that is not empty"),
    fallback: "1",
    meaning: "Seed of all random numbers; equal seeds give equal bytes",
  },
  GEN_MODEL_T0: {
    ...text(INSTANT_FORMS),
    fallback: "2026-01-01T00:00:00Z",
    meaning: "Model time at the start",
  },
  GEN_MODEL_T_END: {
    schema: z.string().min(1).optional(),
    allowed: INSTANT_FORMS,
    fallback: null,
    meaning: "Model time at which a backfill ends (exclusive)",
  },
  GEN_MAX_BACKFILL_EVENTS: {
    ...integer(1, 1_000_000_000_000),
    fallback: "1000000",
    meaning: "Largest new history, in expected page events; a larger one is refused",
  },
  GEN_MODEL_TIMEZONE: {
    ...timezone,
    fallback: "UTC",
    meaning: "Time zone of the daily coefficient",
  },
  GEN_MODEL_TIME_SPEED: {
    ...number(0.001, 100_000),
    fallback: "1",
    meaning: "Model seconds per wall-clock second",
  },
  GEN_TICK_SECONDS: {
    ...number(0.1, 3600),
    fallback: "5",
    meaning: "Interval between ticks, seconds",
    isChangeable: true,
  },
  GEN_LAMBDA_BASE_PER_MIN: {
    ...number(0.001, 1_000_000),
    fallback: "30",
    meaning: "Base intensity, page events per model minute",
    isChangeable: true,
  },
  GEN_JITTER_PCT: {
    ...number(0, 100),
    fallback: "20",
    meaning: "Variability, percent",
    isChangeable: true,
  },
  GEN_MIN_EVENTS_PER_TICK: {
    ...number(0, 10_000_000),
    fallback: "1",
    meaning: "Minimum event budget of a tick",
    isChangeable: true,
  },
  GEN_MAX_EVENTS_PER_TICK: {
    ...number(0, 10_000_000),
    fallback: "50",
    meaning: "Maximum event budget of a tick",
    isChangeable: true,
  },
  GEN_MAX_SESSION_EVENTS: {
    ...integer(1, 10_000),
    fallback: "30",
    meaning: "Maximum number of page events of one session",
    isChangeable: true,
  },
  GEN_MAX_ACTIVE_SESSIONS: {
    ...integer(1, 1_000_000),
    fallback: "200",
    meaning: "Maximum number of concurrent sessions",
    isChangeable: true,
  },
  GEN_POPULATION_MAX: {
    ...integer(1, 10_000_000),
    fallback: "300",
    meaning: "Maximum number of active users; in shop, of those on the site",
  },
  GEN_P_NEW_USER: {
    ...number(0, 1),
    fallback: "0.15",
    meaning: "Share of sessions by new users; in shop, the minimum",
    isChangeable: true,
  },
  GEN_MIN_RETURN_MINUTES: {
    ...number(0, 100_000),
    fallback: "30",
    meaning: "Minimum pause before a user returns, model minutes",
    isChangeable: true,
  },
  GEN_BEHAVIOUR: {
    ...choice(...BEHAVIOURS, SHOP_IF_NEW),
    fallback: "plain",
    meaning:
      "All visitors alike; or differences with known answers (docs/explanation/shop.md); shop-if-new keeps the behaviour of a stored state",
  },
  GEN_SCENARIO: {
    ...scenario,
    fallback: NO_SCENARIO,
    meaning:
      "Planted incident of the history (docs/explanation/scenarios.md); sets the defaults of seed, T0, end, rate, limits and behaviour",
  },
  GEN_DEFECTS: {
    ...defectRates,
    fallback: "typical",
    meaning: "Defects injected on purpose",
    isChangeable: true,
  },
  GEN_STATE_ENABLED: {
    ...boolean,
    fallback: "true",
    meaning: "Whether the state is stored for restarts",
  },
  GEN_STATE_RESET: {
    ...boolean,
    fallback: "false",
    meaning: "Whether to clear the stored state at start",
  },
  GEN_DATA_DIR: {
    ...text("a folder"),
    fallback: "/data",
    meaning: "Folder of a dataset with donor sessions; if empty, the built-in catalogue is used",
  },
  KAFKA_BOOTSTRAP_SERVERS: {
    ...text("host:port, several separated by commas"),
    fallback: "kafka:9092",
    meaning: "Broker address",
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;
export const VARIABLE_NAMES = Object.keys(variables) as VariableName[];

/** True if the variable can change while a history goes on. */
export const isChangeable = (name: string): boolean =>
  (variables as Readonly<Record<string, Variable>>)[name]?.isChangeable === true;

export const profiles: Readonly<Record<string, Readonly<Partial<Record<VariableName, string>>>>> = {
  standard: {},
  "daily-wave": { GEN_MODEL_TIME_SPEED: "60", GEN_TICK_SECONDS: "1" },
};
