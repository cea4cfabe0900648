import { z } from "zod";

export const settingsSchema = z.record(z.string(), z.string());
/** Settings that determine the generator's output, by variable. */
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

/** Settings that applied before a change. */
export const earlierSettingsSchema = z.strictObject({
  /** Model time at which other settings began to apply. */
  until: z.iso.datetime({ precision: 6 }),
  settings: settingsSchema,
});

export const settingsHistorySchema = z.strictObject({
  settings: settingsSchema,
  earlier: z.array(earlierSettingsSchema).readonly(),
});
/** Settings that apply now, and earlier ones in order of time. */
export type SettingsHistory = Readonly<z.infer<typeof settingsHistorySchema>>;
