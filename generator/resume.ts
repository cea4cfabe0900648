import { UserError } from "../contract/errors.ts";
import type { GeneratorConfig, ModelConfig } from "./config.ts";
import { fingerprintOf, type Settings, shapingSettings } from "./fingerprint.ts";
import type { DonorPool } from "./model/donors.ts";
import type { StateV3 } from "./model/state.ts";

export const withStoredT0 = (config: GeneratorConfig, state: StateV3): GeneratorConfig =>
  config.t0IsRelative ? { ...config, t0: state.t0_us } : config;

export function changedSettings(then: Settings, now: Settings): string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(then)]);
  return [...names]
    .filter((name) => now[name] !== then[name])
    .map((name) => `${name}: ${then[name] ?? "unset"} in the state, ${now[name]} now`);
}

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
