import { UserError } from "../../contract/errors.ts";
import { DAY, isoMicros } from "../../contract/time.ts";
import type { BehaviourName } from "../../generator/behaviour/config.ts";
import { findScenario } from "../../generator/behaviour/scenario/scenario.ts";
import { scaledSettings } from "../../generator/behaviour/scenario/settings.ts";
import { type GeneratorConfig, parseConfig } from "../../generator/config.ts";

export const DEMO_DEFAULTS = {
  days: 7,
  seed: "1",
  rate: 30,
  behaviour: "shop",
} as const;

const DEMO_T0 = "2026-01-01T00:00:00Z";

export interface DemoModel {
  readonly days: number;
  readonly seed: string;
  /** Page events per model minute. */
  readonly rate: number;
  readonly behaviour: BehaviourName;
}

export function demoConfig({ days, seed, rate, behaviour }: DemoModel): GeneratorConfig {
  return parseConfig({
    ...scaledSettings(rate),
    GEN_RUN_MODE: "backfill",
    GEN_SEED: seed,
    GEN_BEHAVIOUR: behaviour,
    GEN_MODEL_T0: DEMO_T0,
    GEN_MODEL_T_END: isoMicros(Date.parse(DEMO_T0) * 1000 + days * DAY),
  });
}

/** Refuses settings of the shell, which a history with settings of its own would ignore. @throws UserError */
export function refuseSettings(
  command: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): void {
  const names = Object.keys(env).filter((name) => name.startsWith("GEN_") && env[name]);
  if (names.length === 0) return;
  throw new UserError(
    `${command} would ignore ${names.join(", ")} of the environment, because it has settings of its own`,
    `unset ${names.join(" ")}, or leave it out of the make command; pipeline ${command} --help lists what can be changed`,
  );
}

/** @throws UserError for a setting that the generator refuses */
export const scenarioConfig = (name: string, seed = findScenario(name).seed): GeneratorConfig =>
  parseConfig({ GEN_SCENARIO: name, GEN_RUN_MODE: "backfill", GEN_SEED: seed });
