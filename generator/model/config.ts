import { type Micros, SECOND } from "../../contract/time.ts";
import type { DefectRates } from "./defects.ts";

export interface SimulationConfig {
  readonly seed: string;
  readonly t0: Micros;
  readonly timezone: string;
  /** Model seconds per second of wall-clock time. */
  readonly timeSpeed: number;
  readonly tickSeconds: number;
  /** Page events per model minute before the daily coefficient. */
  readonly eventsPerMinute: number;
  readonly jitterPercent: number;
  readonly minEventsPerTick: number;
  readonly maxEventsPerTick: number;
  readonly maxSessionEvents: number;
  readonly maxActiveSessions: number;
  readonly populationMax: number;
  readonly newUserShare: number;
  readonly minReturnMinutes: number;
  readonly defects: DefectRates;
}

export const tickMicros = (config: SimulationConfig): Micros =>
  Math.max(1, Math.round(config.tickSeconds * config.timeSpeed * SECOND));
