import { UserError } from "../contract/errors.ts";
import type { GeneratorConfig, ModelConfig } from "./config.ts";
import { behaviourIn, fingerprintOf, type Settings, shapingSettings } from "./fingerprint.ts";
import type { DonorPool } from "./model/donors.ts";
import type { StateV3 } from "./model/state.ts";
import { NO_SCENARIO } from "./variables.ts";

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
