import { DAY, isoMicros, parseMicros } from "../contract/time.ts";

export const T0 = parseMicros("2026-01-01T00:00:00Z");

export const settings = (days: number) => ({
  GEN_RUN_MODE: "backfill",
  GEN_MODEL_T_END: isoMicros(T0 + days * DAY),
});
