import { DAY, isoMicros } from "../../contract/time.ts";
import { type GeneratorConfig, parseConfig } from "../../generator/config.ts";
import { findScenario } from "../../generator/scenario/scenario.ts";
import { scaledSettings } from "../../generator/scenario/settings.ts";
import type { BehaviourName } from "../../generator/variables.ts";

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

/** @throws UserError for a setting that the generator refuses */
export const scenarioConfig = (name: string, seed = findScenario(name).seed): GeneratorConfig =>
  parseConfig({ GEN_SCENARIO: name, GEN_RUN_MODE: "backfill", GEN_SEED: seed });
