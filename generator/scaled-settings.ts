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
