import type { SettingsHistory } from "../../contract/settings.ts";
import { type Micros, parseMicros } from "../../contract/time.ts";
import type { ModelConfig } from "../../generator/behaviour/config.ts";
import {
  DONORS,
  fingerprintOf,
  modelOfSettings,
  shapingSettings,
} from "../../generator/fingerprint.ts";
import type { Source } from "../sources/source.ts";

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
  /** Why the model may differ from that of the data; null if they are equal. */
  readonly doubt: string | null;
}

type Described = Pick<Source, "manifest" | "settings">;

export const constantModel = (config: ModelConfig, doubt: string | null = null): HistoryModel => ({
  config,
  periods: [{ from: Number.NEGATIVE_INFINITY, config }],
  doubt,
});

/** Returns the model of a generator's data; undefined for other data. */
export function modelOf(source: Described | undefined): HistoryModel | undefined {
  const found = settingsOf(source);
  if (found === undefined) return undefined;
  const { settings, earlier } = found;
  const starts = [Number.NEGATIVE_INFINITY, ...earlier.map(({ until }) => parseMicros(until))];
  const each = [...earlier.map((one) => one.settings), settings];
  const periods = each.map((one, i) => ({
    from: starts[i] ?? Number.NaN,
    config: modelOfSettings(one),
  }));
  const [config = modelOfSettings(settings)] = periods.map((period) => period.config);
  const stored = each[0] ?? settings;
  const isSame =
    fingerprintOf(shapingSettings(config, stored[DONORS] ?? "")) === fingerprintOf(stored);
  return {
    config,
    periods,
    doubt: isSame ? null : "This version has another model than the one that wrote these data.",
  };
}

/** Returns the settings of the state, which cover live events; without a state, those of the manifest. */
function settingsOf(source: Described | undefined): SettingsHistory | undefined {
  const settings = source?.manifest?.settings;
  return source?.settings ?? (settings && { settings, earlier: [] });
}
