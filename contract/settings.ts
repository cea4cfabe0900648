import { z } from "zod";

export const settingsSchema = z.record(z.string(), z.string());
/** Settings that determine the generator's output, by variable. */
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

/** Change of a setting between a history and live events, or between live events. */
export const settingChangeSchema = z.strictObject({
  /** Model time from which the new value applies. */
  at: z.iso.datetime({ precision: 6 }),
  name: z.string(),
  before: z.string(),
  after: z.string(),
});
export type SettingChange = Readonly<z.infer<typeof settingChangeSchema>>;

export const settingsHistorySchema = z.strictObject({
  settings: settingsSchema,
  changes: z.array(settingChangeSchema).readonly(),
});
/** Settings that apply now, and their changes in order of time. */
export type SettingsHistory = Readonly<z.infer<typeof settingsHistorySchema>>;

/** Settings from an instant on; null stands for the start. */
export interface SettingsPeriod {
  readonly from: string | null;
  readonly settings: Settings;
}

/** Returns the periods with equal settings, in order of time; the last one is open. */
export function settingsPeriods({ settings, changes }: SettingsHistory): SettingsPeriod[] {
  const periods: SettingsPeriod[] = [];
  let current = settings;
  for (const [at, made] of [...Map.groupBy(changes, ({ at }) => at)].reverse()) {
    periods.unshift({ from: at, settings: current });
    current = {
      ...current,
      ...Object.fromEntries(made.map(({ name, before }) => [name, before])),
    };
  }
  return [{ from: null, settings: current }, ...periods];
}
