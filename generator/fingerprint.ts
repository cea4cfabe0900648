import { DEFECT_KINDS } from "../contract/defects.ts";
import { UserError } from "../contract/errors.ts";
import type { Settings, SettingsHistory } from "../contract/settings.ts";
import { isoMicros } from "../contract/time.ts";
import type { ModelConfig } from "./behaviour/config.ts";
import { BEHAVIOURS, type BehaviourName } from "./behaviour/config.ts";
import { scenarioFingerprint } from "./behaviour/scenario/settings.ts";
import { SHOP } from "./behaviour/shop/parameters.ts";
import { canonicalJson, sha256 } from "./canonical.ts";
import { type GeneratorConfig, parseConfig } from "./config.ts";
import type { DonorPool } from "./model/donors.ts";
import type { StateV3 } from "./model/state.ts";
import { isChangeable, NO_SCENARIO } from "./variables.ts";

/** Name of the donors' digest among the settings. */
export const DONORS = "donors in GEN_DATA_DIR";

/** Version of the output; increase if the same configuration gives other bytes. */
const MODEL_VERSION = 1;

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
    [DONORS]: donorsDigest.slice(0, 16),
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
  BEHAVIOURS.find((name) => name === firstWord(text)) ?? "plain";

/** Returns the model of stored settings. @throws UserError for a setting that is unknown here */
export function modelOfSettings(settings: Settings): ModelConfig {
  const { GEN_BEHAVIOUR, GEN_SCENARIO, ...rest } = withAbsent(settings);
  const variables = Object.entries(rest).filter(([name]) => name.startsWith("GEN_"));
  return parseConfig({
    ...Object.fromEntries(variables),
    // The default end of a scenario may be before a T0 that was set.
    GEN_MODEL_T_END: LATEST_END,
    GEN_BEHAVIOUR: firstWord(GEN_BEHAVIOUR),
    GEN_SCENARIO: firstWord(GEN_SCENARIO),
  });
}

const LATEST_END = "2099-12-31T00:00:00Z";

/** Behaviour and scenario are stored as their name and a digest of their parameters. */
const firstWord = (text = ""): string => text.split(" ")[0] ?? "";

export const fingerprintOf = (settings: Settings): string => sha256(canonicalJson(settings));

export const fingerprint = (config: ModelConfig, donorsDigest: string): string =>
  fingerprintOf(shapingSettings(config, donorsDigest));

/** Takes T0 and the behaviour from the state, unless the configuration sets them. */
export const withStoredStart = (config: GeneratorConfig, state: StateV3): GeneratorConfig => ({
  ...config,
  ...(config.t0IsRelative ? { t0: state.t0_us } : {}),
  ...(config.keepsBehaviour ? { behaviour: behaviourIn(state.settings) } : {}),
});

interface Difference {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Returns the settings that differ; `unset` stands for a missing one. */
function differencesBetween(then: Settings, now: Settings): Difference[] {
  const [before, after] = [withAbsent(then), withAbsent(now)];
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names]
    .filter((name) => after[name] !== before[name])
    .map((name) => ({ name, before: before[name] ?? "unset", after: after[name] ?? "unset" }));
}

/** Names the values that settings leave out. */
const withAbsent = (settings: Settings): Settings => ({
  GEN_BEHAVIOUR: "plain",
  GEN_SCENARIO: NO_SCENARIO,
  ...settings,
});

/** Returns the settings that a running history takes over from now on. */
export const findChanges = (then: Settings, now: Settings): Difference[] =>
  differencesBetween(then, now).filter(({ name }) => isChangeable(name));

/** Differences with which the stored data cannot go on. */
export interface Incompatibility {
  readonly differences: readonly string[];
  readonly hint: string;
}

/** Compares the settings that never change in a history. @returns null if they are equal */
export function findIncompatibility(then: Settings, now: Settings): Incompatibility | null {
  const found = differencesBetween(then, now).filter(({ name }) => !isChangeable(name));
  if (found.length === 0) return null;
  return {
    differences: found.map(
      ({ name, before, after }) => `${name}: ${before} in the state, ${after} now`,
    ),
    hint: [...new Set(found.map(wayBack))].join(", "),
  };
}

function wayBack({ name, before, after }: Difference): string {
  if (name === DONORS) return "restore the dataset in GEN_DATA_DIR";
  const hasDigest = name === "GEN_BEHAVIOUR" || name === "GEN_SCENARIO";
  const [then, now] = hasDigest ? [firstWord(before), firstWord(after)] : [before, after];
  if (!name.startsWith("GEN_") || then === now) return "use the version that wrote the data";
  return `set ${name} back to ${then}`;
}

/** Returns the settings of a run and the earlier ones. @throws UserError if the state cannot go on with them */
export function settingsAfter(
  state: StateV3 | undefined,
  config: ModelConfig,
  donors: DonorPool,
): SettingsHistory {
  const settings = shapingSettings(config, donors.digest);
  if (state === undefined) return { settings, earlier: [] };
  const found = findIncompatibility(state.settings, settings);
  if (found !== null) {
    throw new UserError(
      `The stored generator state was made with other settings:\n${found.differences.map((line) => `  ${line}`).join("\n")}`,
      `${found.hint}, or set GEN_STATE_RESET=true to clear the state`,
    );
  }
  const { earlier = [] } = state;
  if (findChanges(state.settings, settings).length === 0) return { settings, earlier };
  const until = isoMicros(state.model_time_us);
  return { settings, earlier: [...earlier, { until, settings: state.settings }] };
}
