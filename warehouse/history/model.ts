import type { Manifest } from "../../contract/manifest.ts";
import {
  type SettingsHistory,
  type SettingsPeriod,
  settingsPeriods,
} from "../../contract/settings.ts";
import { type Micros, parseMicros } from "../../contract/time.ts";
import { type ModelConfig, parseConfig } from "../../generator/config.ts";
import { DONORS, fingerprint, modelOfSettings } from "../../generator/fingerprint.ts";
import type { Source } from "../reconciliation/source.ts";

/** Settings of the model from a model time on. */
export interface ModelPeriod {
  readonly from: Micros;
  readonly config: ModelConfig;
}

export interface HistoryModel {
  /** Settings of the history. */
  readonly config: ModelConfig;
  /** Settings of history and live events in order of time; the last period is open. */
  readonly periods: readonly ModelPeriod[];
  /** True if the settings are those of the data; otherwise they are the defaults. */
  readonly isConfirmed: boolean;
}

export const constantModel = (config: ModelConfig, isConfirmed = true): HistoryModel => ({
  config,
  periods: [{ from: Number.NEGATIVE_INFINITY, config }],
  isConfirmed,
});

/** Returns the model of a generator's data. The model of other data has the default settings. */
export function modelOf(source: Pick<Source, "manifest" | "settings"> | undefined): HistoryModel {
  const history = settingsOf(source);
  if (history === undefined) return constantModel(parseConfig({}), false);
  const periods = settingsPeriods(history).map(toPeriod);
  const config = periods[0]?.config ?? modelOfSettings(history.settings);
  return { config, periods, isConfirmed: confirms(source?.manifest, config) };
}

/** The settings of the state, which cover live events too; without a state, those of the manifest. */
function settingsOf(
  source: Pick<Source, "manifest" | "settings"> | undefined,
): SettingsHistory | undefined {
  if (source?.settings) return source.settings;
  const settings = source?.manifest?.settings;
  return settings && { settings, changes: [] };
}

const toPeriod = ({ from, settings }: SettingsPeriod): ModelPeriod => ({
  from: from === null ? Number.NEGATIVE_INFINITY : parseMicros(from),
  config: modelOfSettings(settings),
});

/** False if this version has other parameters of a behaviour or scenario than the data. */
const confirms = (manifest: Manifest | undefined, config: ModelConfig): boolean =>
  manifest === undefined ||
  fingerprint(config, manifest.settings?.[DONORS] ?? "") === manifest.fingerprint;
