import { z } from "zod";
import { DEFECT_FORMS, parseDefectRates } from "./defect-rates.ts";
import { INSTANT_FORMS } from "./instant.ts";

export interface Variable<S extends z.ZodType<unknown, string> = z.ZodType<unknown, string>> {
  readonly schema: S;
  /** Default as the user would write it; null if the variable may stay unset. */
  readonly fallback: string | null;
  readonly allowed: string;
  readonly meaning: string;
}

const decimal = (min: number, max: number) =>
  z
    .string()
    .regex(/^[+-]?\d*\.?\d+$/)
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

const RUN_MODES = ["live", "backfill", "backfill-then-live"] as const;
/** Name of `backfill-then-live` in earlier versions. */
export const DEPRECATED_RUN_MODE = "living";
const runMode = {
  schema: z
    .string()
    .transform((mode) => (mode === DEPRECATED_RUN_MODE ? RUN_MODES[2] : mode))
    .pipe(z.enum(RUN_MODES)),
  allowed: RUN_MODES.join(" or "),
};

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

/** Docs and containers are generated from it or checked against it. */
export const variables = {
  GEN_ENABLED: { ...boolean, fallback: "true", meaning: "Whether the generator publishes" },
  GEN_RUN_MODE: {
    ...runMode,
    fallback: "live",
    meaning:
      "Follow the clock; or write history up to GEN_MODEL_T_END; or, on an empty environment, both",
  },
  GEN_PROFILE: {
    ...choice("standard", "daily-wave"),
    fallback: "standard",
    meaning: "Named set of defaults",
  },
  GEN_SEED: {
    ...text("any text that is not empty"),
    fallback: "1",
    meaning: "One seed gives the same bytes everywhere",
  },
  GEN_MODEL_T0: {
    ...text(INSTANT_FORMS),
    fallback: "2026-01-01T00:00:00Z",
    meaning: "Model time of the start",
  },
  GEN_MODEL_T_END: {
    ...text(INSTANT_FORMS),
    fallback: null,
    meaning: "Model time at which a backfill ends (not included)",
  },
  GEN_MODEL_TIMEZONE: {
    ...timezone,
    fallback: "UTC",
    meaning: "Time zone of the daily coefficient",
  },
  GEN_MODEL_TIME_SPEED: {
    ...number(0.001, 100_000),
    fallback: "1",
    meaning: "Model seconds per second",
  },
  GEN_TICK_SECONDS: {
    ...number(0.1, 3600),
    fallback: "5",
    meaning: "Interval between ticks, seconds",
  },
  GEN_LAMBDA_BASE_PER_MIN: {
    ...number(0.001, 1_000_000),
    fallback: "30",
    meaning: "Base intensity, page events per model minute",
  },
  GEN_JITTER_PCT: { ...number(0, 100), fallback: "20", meaning: "Variability, percent" },
  GEN_MIN_EVENTS_PER_TICK: {
    ...number(0, 10_000_000),
    fallback: "1",
    meaning: "Minimum event budget of a tick",
  },
  GEN_MAX_EVENTS_PER_TICK: {
    ...number(0, 10_000_000),
    fallback: "50",
    meaning: "Maximum event budget of a tick",
  },
  GEN_MAX_SESSION_EVENTS: {
    ...integer(1, 10_000),
    fallback: "30",
    meaning: "Ceiling on the page events of one session",
  },
  GEN_MAX_ACTIVE_SESSIONS: {
    ...integer(1, 1_000_000),
    fallback: "200",
    meaning: "Ceiling on concurrent active sessions",
  },
  GEN_POPULATION_MAX: {
    ...integer(1, 10_000_000),
    fallback: "300",
    meaning: "Ceiling on the active user population",
  },
  GEN_P_NEW_USER: { ...number(0, 1), fallback: "0.15", meaning: "Share of sessions by new users" },
  GEN_MIN_RETURN_MINUTES: {
    ...number(0, 100_000),
    fallback: "30",
    meaning: "Minimum pause before a user returns, model minutes",
  },
  GEN_DEFECTS: { ...defectRates, fallback: "typical", meaning: "Defects injected on purpose" },
  GEN_STATE_ENABLED: {
    ...boolean,
    fallback: "true",
    meaning: "Persist state between restarts",
  },
  GEN_STATE_RESET: { ...boolean, fallback: "false", meaning: "Forget the state at start" },
  GEN_DATA_DIR: {
    ...text("a folder"),
    fallback: "/data",
    meaning: "Data set whose sessions are the donors; without one the catalogue is used",
  },
  KAFKA_BOOTSTRAP_SERVERS: {
    ...text("host:port, several separated by commas"),
    fallback: "kafka:9092",
    meaning: "Broker address",
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;
export const VARIABLE_NAMES = Object.keys(variables) as VariableName[];

export const profiles: Readonly<Record<string, Readonly<Partial<Record<VariableName, string>>>>> = {
  standard: {},
  "daily-wave": { GEN_MODEL_TIME_SPEED: "60", GEN_TICK_SECONDS: "1" },
};
