import { DAY, isoMicros, type Micros } from "../../../contract/time.ts";
import { jsonObject } from "../../../contract/truth.ts";
import { canonicalJson, sha256 } from "../../canonical.ts";
import type { Scenario } from "./scenario.ts";

/** Defaults of the generator's variables. */
export const scenarioSettings = (scenario: Scenario): Readonly<Record<string, string>> => ({
  ...scaledSettings(scenario.rate),
  GEN_SEED: scenario.seed,
  GEN_MODEL_T0: isoMicros(scenario.start),
  GEN_MODEL_T_END: isoMicros(endOf(scenario)),
  GEN_MODEL_TIMEZONE: scenario.timezone,
  GEN_BEHAVIOUR: "shop",
});

const endOf = ({ start, days }: Scenario): Micros => start + days * DAY;

/** What changes the bytes and is no variable of its own; times count from the start. */
const effectsOf = ({ start, update, parameters, events }: Scenario) => ({
  ...(update ? { update } : {}),
  parameters,
  events: events.map(({ what: _, from, to, ...event }) => ({
    ...event,
    from: from - start,
    ...(to === undefined ? {} : { to: to - start }),
  })),
});

export const scenarioFingerprint = (scenario: Scenario): string =>
  `${scenario.name} ${sha256(canonicalJson(effectsOf(scenario))).slice(0, 16)}`;

/** The scenario in a manifest. */
export const publishedScenario = (scenario: Scenario) =>
  jsonObject.parse({ name: scenario.name, ...effectsOf(scenario) });

const STANDARD_RATE = 30;

/** Scales ticks and caps with the rate, so that no cap rejects sessions. */
export function scaledSettings(rate: number): Readonly<Record<string, string>> {
  const share = rate / STANDARD_RATE;
  const scaled = (standard: number): string => String(Math.ceil(standard * Math.max(1, share)));
  return {
    GEN_LAMBDA_BASE_PER_MIN: String(rate),
    GEN_TICK_SECONDS: String(Math.min(3600, 5 * Math.max(1, 1 / share))),
    GEN_MAX_EVENTS_PER_TICK: scaled(50),
    GEN_MAX_ACTIVE_SESSIONS: scaled(200),
    GEN_POPULATION_MAX: scaled(300),
  };
}
