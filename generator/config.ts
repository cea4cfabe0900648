import { z } from "zod";
import { UserError } from "../contract/errors.ts";
import { isoMicros, type Micros } from "../contract/time.ts";
import type { ModelConfig } from "./behaviour/config.ts";
import { findScenario, scenarioNames } from "./behaviour/scenario/scenario.ts";
import { scenarioSettings } from "./behaviour/scenario/settings.ts";
import { didYouMean } from "./suggestion.ts";
import {
  INSTANT_FORMS,
  isRelative,
  NO_SCENARIO,
  profiles,
  resolveInstant,
  SHOP_IF_NEW,
  VARIABLE_NAMES,
  type VariableName,
  variables,
} from "./variables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface GeneratorConfig extends ModelConfig {
  readonly enabled: boolean;
  /** Mode of the run. `backfill-then-live` equals `live` unless the environment is empty. */
  readonly runMode: "live" | "backfill" | "backfill-then-live";
  readonly profile: "standard" | "daily-wave";
  /** True if T0 is relative (now-…) or unset, so that a restart reads T0 from the state. */
  readonly t0IsRelative: boolean;
  /** True if GEN_BEHAVIOUR is unset or shop-if-new: a restart keeps the behaviour of the state. */
  readonly keepsBehaviour: boolean;
  readonly tEnd: Micros | null;
  /** True if T_end is relative (now-…), so that a resumed backfill keeps the original instant. */
  readonly tEndIsRelative: boolean;
  /** Largest expected number of page events of a new history. */
  readonly maxBackfillEvents: number;
  readonly stateEnabled: boolean;
  readonly stateReset: boolean;
  readonly dataDir: string;
  readonly bootstrapServers: string;
}

const schema = z.object(
  Object.fromEntries(VARIABLE_NAMES.map((name) => [name, variables[name].schema])) as {
    [N in VariableName]: (typeof variables)[N]["schema"];
  },
);
type Values = z.infer<typeof schema>;

/** Parses the variables. An empty one counts as unset, as compose files need. @throws UserError */
export function parseConfig(env: Environment, now: Micros = Date.now() * 1000): GeneratorConfig {
  const raw = withDefaults(env);
  const problems = unknownVariables(env);
  const parsed = schema.safeParse(raw);
  if (!parsed.success) {
    const bad = new Set(parsed.error.issues.map((issue) => issue.path[0] as VariableName));
    for (const name of bad) problems.push(badValue(name, raw[name]));
    return refuse(problems);
  }
  const config = toConfig(parsed.data, now, env);
  problems.push(...contradictions(config, raw));
  return problems.length > 0 ? refuse(problems) : config;
}

function withDefaults(env: Environment): Partial<Record<VariableName, string>> {
  const profile: Environment = {
    ...profiles[env.GEN_PROFILE ?? ""],
    ...scenarioDefaults(env.GEN_SCENARIO?.trim()),
  };
  const entries = VARIABLE_NAMES.map((name) => {
    const value = env[name]?.trim() || (profile[name] ?? variables[name].fallback);
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(entries.flat());
}

/** Nothing for an unknown name, which is refused later. */
function scenarioDefaults(name: string | undefined): Environment {
  const isKnown = name !== undefined && scenarioNames().includes(name);
  return isKnown ? scenarioSettings(findScenario(name)) : {};
}

const unknownVariables = (env: Environment): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith("GEN_") && !VARIABLE_NAMES.some((known) => known === name))
    .map((name) => `${name} is not a setting${didYouMean(name, VARIABLE_NAMES, "GEN_")}`);

const badValue = (name: VariableName, value: string | undefined): string =>
  `${name}=${value ?? ""}: must be ${variables[name].allowed}`;

function toConfig(values: Values, now: Micros, env: Environment): GeneratorConfig {
  return {
    enabled: values.GEN_ENABLED,
    runMode: values.GEN_RUN_MODE,
    profile: values.GEN_PROFILE,
    seed: values.GEN_SEED,
    t0: resolveInstant(values.GEN_MODEL_T0, now),
    t0IsRelative: !env.GEN_MODEL_T0?.trim() || isRelative(values.GEN_MODEL_T0),
    keepsBehaviour: !env.GEN_BEHAVIOUR?.trim() || values.GEN_BEHAVIOUR === SHOP_IF_NEW,
    tEnd: values.GEN_MODEL_T_END ? resolveInstant(values.GEN_MODEL_T_END, now) : null,
    tEndIsRelative: isRelative(values.GEN_MODEL_T_END ?? ""),
    timezone: values.GEN_MODEL_TIMEZONE,
    timeSpeed: values.GEN_MODEL_TIME_SPEED,
    tickSeconds: values.GEN_TICK_SECONDS,
    eventsPerMinute: values.GEN_LAMBDA_BASE_PER_MIN,
    jitterPercent: values.GEN_JITTER_PCT,
    minEventsPerTick: values.GEN_MIN_EVENTS_PER_TICK,
    maxEventsPerTick: values.GEN_MAX_EVENTS_PER_TICK,
    maxSessionEvents: values.GEN_MAX_SESSION_EVENTS,
    maxActiveSessions: values.GEN_MAX_ACTIVE_SESSIONS,
    populationMax: values.GEN_POPULATION_MAX,
    newUserShare: values.GEN_P_NEW_USER,
    minReturnMinutes: values.GEN_MIN_RETURN_MINUTES,
    defects: values.GEN_DEFECTS,
    behaviour: values.GEN_BEHAVIOUR === SHOP_IF_NEW ? "shop" : values.GEN_BEHAVIOUR,
    scenario: values.GEN_SCENARIO === NO_SCENARIO ? null : findScenario(values.GEN_SCENARIO),
    maxBackfillEvents: values.GEN_MAX_BACKFILL_EVENTS,
    stateEnabled: values.GEN_STATE_ENABLED,
    stateReset: values.GEN_STATE_RESET,
    dataDir: values.GEN_DATA_DIR,
    bootstrapServers: values.KAFKA_BOOTSTRAP_SERVERS,
  };
}

function contradictions(
  config: GeneratorConfig,
  raw: Partial<Record<VariableName, string>>,
): string[] {
  const problems: string[] = [];
  if (Number.isNaN(config.t0)) problems.push(badValue("GEN_MODEL_T0", raw.GEN_MODEL_T0));
  if (config.tEnd !== null && Number.isNaN(config.tEnd)) {
    problems.push(badValue("GEN_MODEL_T_END", raw.GEN_MODEL_T_END));
  }
  if (config.tEnd !== null && config.tEnd <= config.t0) {
    problems.push(
      `GEN_MODEL_T_END=${raw.GEN_MODEL_T_END}: must be after GEN_MODEL_T0 (${isoMicros(config.t0)})`,
    );
  }
  if (config.scenario !== null && config.behaviour !== "shop") {
    problems.push(
      `GEN_BEHAVIOUR=${config.behaviour}: must be shop with GEN_SCENARIO=${config.scenario.name}`,
    );
  }
  if (config.runMode !== "live" && config.tEnd === null) {
    problems.push(`GEN_MODEL_T_END is not set. Allowed: ${INSTANT_FORMS}`);
  }
  if (config.runMode === "backfill-then-live" && !config.stateEnabled) {
    problems.push("GEN_STATE_ENABLED=false: must be true with GEN_RUN_MODE=backfill-then-live");
  }
  if (config.minEventsPerTick > config.maxEventsPerTick) {
    problems.push(
      `GEN_MIN_EVENTS_PER_TICK=${config.minEventsPerTick}: must not be more than GEN_MAX_EVENTS_PER_TICK (${config.maxEventsPerTick})`,
    );
  }
  return problems;
}

function refuse(problems: readonly string[]): never {
  const several = problems.length > 1 ? `${problems.length} settings are` : "A setting is";
  throw new UserError(
    `${several} wrong in the generator's environment:\n${problems.map((line) => `  ${line}`).join("\n")}`,
    "correct the variables named above (docs/reference/generator-variables.md lists all)",
  );
}
