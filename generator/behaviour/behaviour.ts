import type { Micros } from "../../contract/time.ts";
import type { Truth } from "../../contract/truth.ts";
import type { Behaviour } from "../model/behaviour.ts";
import type { DonorPool } from "../model/donors.ts";
import { Simulation, type SimulationState } from "../model/simulation.ts";
import type { ModelConfig } from "./config.ts";
import { plainBehaviour } from "./plain.ts";
import { phasedBehaviour } from "./shop/phased.ts";
import { incidentsOf, phasedWeight, phasesOf } from "./shop/phases.ts";
import { shopTruth } from "./shop/truth.ts";

const behaviourOf = (config: ModelConfig, donors: DonorPool): Behaviour =>
  config.behaviour === "shop" ? phasedBehaviour(config, donors) : plainBehaviour(config, donors);

/** Starts a simulation, or continues the one with the state. */
export const simulationOf = (
  config: ModelConfig,
  donors: DonorPool,
  state?: SimulationState,
): Simulation => new Simulation(config, behaviourOf(config, donors), incidentsOf(config), state);

/** Multiplies the base intensity; known without donors. */
export const dayWeightOf = (config: ModelConfig): ((at: Micros) => number) =>
  config.behaviour === "shop" ? phasedWeight(phasesOf(config)) : () => 1;

/** Returns what is true in a history until `tEnd`; undefined if all visitors behave alike. */
export const truthOf = (
  config: ModelConfig,
  donors: DonorPool,
  tEnd: Micros,
  rejectedSessions: number,
): Truth | undefined =>
  config.behaviour === "shop" ? shopTruth(config, donors, tEnd, rejectedSessions) : undefined;
