import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { DAY, isoMicros, parseMicros } from "../contract/time.ts";
import type { TestBroker } from "../test/kafka/broker.ts";
import { GeneratorProcess } from "../test/kafka/generator.ts";
import { resetTopics } from "../warehouse/epochs/topics.ts";
import { memoryOf } from "./measure.ts";
import type { BenchRow } from "./verdict.ts";

const DAYS = 30;
const T0 = parseMicros("2026-01-01T00:00:00Z");

/** Settings of a backfill of some model days. */
export const settings = (days: number) => ({
  GEN_RUN_MODE: "backfill",
  GEN_MODEL_T_END: isoMicros(T0 + days * DAY),
  GEN_MAX_BACKFILL_EVENTS: String(days * 50_000),
});

/** Measures the peak memory of a generator during a backfill. */
export async function memory(broker: TestBroker, admin: Admin): Promise<BenchRow> {
  return {
    name: `memory of a backfill of ${DAYS} model days`,
    value: Math.round(await peakMiB(broker, admin)),
    unit: "MiB",
    atMost: 512,
  };
}

async function peakMiB(broker: TestBroker, admin: Admin): Promise<number> {
  await resetTopics(admin, { database: null, scope: "all" });
  const generator = new GeneratorProcess(broker.bootstrap, settings(DAYS));
  let peak = 0;
  while (generator.isRunning) {
    peak = Math.max(peak, await memoryOf(generator.pid ?? 0));
    await Promise.race([sleep(200), generator.exit()]);
  }
  if (generator.exitCode !== 0) throw new Error(generator.output);
  return peak;
}
