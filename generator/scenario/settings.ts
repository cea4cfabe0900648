import { DAY, isoMicros, type Micros } from "../../contract/time.ts";
import { jsonObject } from "../../contract/truth.ts";
import { canonicalJson, sha256 } from "../canonical.ts";
import { scaledSettings } from "../scaled-settings.ts";
import type { Scenario } from "./schema.ts";

/** Defaults of the generator's variables. */
export const scenarioSettings = (scenario: Scenario): Readonly<Record<string, string>> => ({
  ...scaledSettings(scenario.rate),
  GEN_SEED: scenario.seed,
  GEN_MODEL_T0: isoMicros(scenario.start),
  GEN_MODEL_T_END: isoMicros(endOf(scenario)),
  GEN_MODEL_TIMEZONE: scenario.timezone,
  GEN_P_NEW_USER: String(scenario.newVisitors),
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
