import type { SimulationConfig } from "../model/config.ts";
import type { Scenario } from "./scenario/scenario.ts";

export const BEHAVIOURS = ["plain", "shop"] as const;
export type BehaviourName = (typeof BEHAVIOURS)[number];

export interface ModelConfig extends SimulationConfig {
  readonly behaviour: BehaviourName;
  /** What happens in the history; null without a scenario. */
  readonly scenario: Scenario | null;
}
