import { isoMicros } from "../contract/time.ts";
import { canonicalJson, sha256 } from "./canonical.ts";
import type { ModelConfig } from "./config.ts";

/** To be raised by whoever changes what the model writes for the same configuration. */
const MODEL_VERSION = 1;

/**
 * SHA-256 of everything that shapes the bytes. Where a run ends, where it publishes to and what
 * happens with its state are left out on purpose: they never change what is written up to there.
 */
export function fingerprint(config: ModelConfig, donorsDigest: string): string {
  return sha256(
    canonicalJson({
      model: MODEL_VERSION,
      donors: donorsDigest,
      seed: config.seed,
      t0: isoMicros(config.t0),
      timezone: config.timezone,
      timeSpeed: config.timeSpeed,
      tickSeconds: config.tickSeconds,
      eventsPerMinute: config.eventsPerMinute,
      jitterPercent: config.jitterPercent,
      minEventsPerTick: config.minEventsPerTick,
      maxEventsPerTick: config.maxEventsPerTick,
      maxSessionEvents: config.maxSessionEvents,
      maxActiveSessions: config.maxActiveSessions,
      populationMax: config.populationMax,
      newUserShare: config.newUserShare,
      minReturnMinutes: config.minReturnMinutes,
      defects: config.defects,
    }),
  );
}
