import { DEFECT_KINDS } from "../contract/defects.ts";
import { UserError } from "../contract/errors.ts";
import { isoMicros } from "../contract/time.ts";
import { SHOP } from "./behaviour/shop/parameters.ts";
import { canonicalJson, sha256 } from "./canonical.ts";
import type { GeneratorConfig, ModelConfig } from "./config.ts";
import type { DonorPool } from "./model/donors.ts";
import type { StateV3 } from "./model/state.ts";
import { scenarioFingerprint } from "./scenario/settings.ts";
import { BEHAVIOURS, type BehaviourName, NO_SCENARIO } from "./variables.ts";

/** Version of the output; increase if the same configuration gives other bytes. */
const MODEL_VERSION = 1;

export type Settings = Readonly<Record<string, string>>;

/** Returns the settings that determine the output; run end, broker and state do not. */
export function shapingSettings(config: ModelConfig, donorsDigest: string): Settings {
  const numbers = {
    GEN_MODEL_TIME_SPEED: config.timeSpeed,
    GEN_TICK_SECONDS: config.tickSeconds,
    GEN_LAMBDA_BASE_PER_MIN: config.eventsPerMinute,
    GEN_JITTER_PCT: config.jitterPercent,
    GEN_MIN_EVENTS_PER_TICK: config.minEventsPerTick,
    GEN_MAX_EVENTS_PER_TICK: config.maxEventsPerTick,
    GEN_MAX_SESSION_EVENTS: config.maxSessionEvents,
    GEN_MAX_ACTIVE_SESSIONS: config.maxActiveSessions,
    GEN_POPULATION_MAX: config.populationMax,
    GEN_P_NEW_USER: config.newUserShare,
    GEN_MIN_RETURN_MINUTES: config.minReturnMinutes,
  };
  return {
    "model version": String(MODEL_VERSION),
    "donors in GEN_DATA_DIR": donorsDigest.slice(0, 16),
    GEN_SEED: config.seed,
    GEN_MODEL_T0: isoMicros(config.t0),
    GEN_MODEL_TIMEZONE: config.timezone,
    GEN_DEFECTS: DEFECT_KINDS.map((kind) => `${kind}=${config.defects[kind]}`).join(","),
    // Absent for `plain`, which has no parameters.
    ...(config.behaviour === "plain" ? {} : { GEN_BEHAVIOUR: behaviourSettings(config) }),
    ...(config.scenario === null ? {} : { GEN_SCENARIO: scenarioFingerprint(config.scenario) }),
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
  };
}

const behaviourSettings = ({ behaviour }: ModelConfig): string =>
  `${behaviour} ${sha256(canonicalJson(SHOP)).slice(0, 16)}`;

/** Returns the behaviour of stored settings; `plain` if it is unknown here, which is refused later. */
const behaviourIn = ({ GEN_BEHAVIOUR: text = "" }: Settings): BehaviourName =>
  BEHAVIOURS.find((name) => name === text.split(" ")[0]) ?? "plain";

export const fingerprintOf = (settings: Settings): string => sha256(canonicalJson(settings));

export const fingerprint = (config: ModelConfig, donorsDigest: string): string =>
  fingerprintOf(shapingSettings(config, donorsDigest));

/** Takes T0 and the behaviour from the state, unless the configuration sets them. */
export const withStoredStart = (config: GeneratorConfig, state: StateV3): GeneratorConfig => ({
  ...config,
  ...(config.t0IsRelative ? { t0: state.t0_us } : {}),
  ...(config.keepsBehaviour ? { behaviour: behaviourIn(state.settings) } : {}),
});

export function changedSettings(then: Settings, now: Settings): string[] {
  const [before, after] = [withAbsent(then), withAbsent(now)];
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names]
    .filter((name) => after[name] !== before[name])
    .map((name) => `${name}: ${before[name] ?? "unset"} in the state, ${after[name]} now`);
}

/** Names the values that settings leave out. */
const withAbsent = (settings: Settings): Settings => ({
  GEN_BEHAVIOUR: "plain",
  GEN_SCENARIO: NO_SCENARIO,
  ...settings,
});

/** Checks the settings against the state. @throws UserError that names every difference */
export function requireCompatible(state: StateV3, config: ModelConfig, donors: DonorPool): void {
  const settings = shapingSettings(config, donors.digest);
  if (fingerprintOf(settings) === state.fingerprint) return;
  const changes = changedSettings(state.settings, settings).map((line) => `  ${line}`);
  throw new UserError(
    `The stored generator state was made with other settings:\n${changes.join("\n")}`,
    "restore the previous settings, or set GEN_STATE_RESET=true to clear the state",
  );
}
