import { UserError } from "../contract/errors.ts";
import type { GeneratorConfig, ModelConfig } from "./config.ts";
import { fingerprintOf, type Settings, shapingSettings } from "./fingerprint.ts";
import type { DonorPool } from "./model/donors.ts";
import type { StateV3 } from "./model/state.ts";

/** A relative T0 is resolved once, when an instance is first filled; from then on the state holds it. */
export const withStoredT0 = (config: GeneratorConfig, state: StateV3): GeneratorConfig =>
  config.t0IsRelative ? { ...config, t0: state.t0_us } : config;

/** Every setting of the two that differs, in words for a person. */
export function changedSettings(then: Settings, now: Settings): string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(then)]);
  return [...names]
    .filter((name) => now[name] !== then[name])
    .map((name) => `${name}: ${then[name] ?? "unset"} then, ${now[name]} now`);
}

/** @throws UserError that names every setting the state was made with and that is another one now */
export function requireCompatible(state: StateV3, config: ModelConfig, donors: DonorPool): void {
  const settings = shapingSettings(config, donors.digest);
  if (fingerprintOf(settings) === state.fingerprint) return;
  const changes = changedSettings(state.settings, settings).map((line) => `  ${line}`);
  throw new UserError(
    `The stored generator state was made with other settings:\n${changes.join("\n")}`,
    "Put the former settings back, or GEN_STATE_RESET=true clears the state",
  );
}
