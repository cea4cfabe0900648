import type { Manifest } from "../../../contract/manifest.ts";
import type { Database } from "../../../contract/ports.ts";
import { HOUR, MINUTE, type Micros, parseMicros } from "../../../contract/time.ts";
import { runBackfill } from "../../../generator/backfill.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { type GeneratorConfig, parseConfig } from "../../../generator/config.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import { currentEpoch } from "../../../warehouse/sources/epoch.ts";
import { finishedHistory } from "../../../warehouse/sources/source.ts";
import { storeSource } from "../../../warehouse/sources/stored.ts";
import { clearAll } from "../../support/engine.ts";
import { MemoryPublisher } from "../../support/memory-publisher.ts";
import { type Message, toMessages } from "../../support/messages.ts";
import { load, publish } from "../../support/pipeline.ts";

export const T0: Micros = parseMicros("2026-01-01T08:00:00Z");
export const T_END: Micros = T0 + 2 * HOUR;

/** A backfill of two hours, and 90 minutes of live generation after it. */
export interface History {
  readonly manifest: Manifest;
  readonly backfill: Message[];
  readonly live: Message[];
}

export async function makeHistory(): Promise<History> {
  const config = configUntil(T_END);
  const donors = new DonorPool(catalogueDonors(config.seed));
  const before = new MemoryPublisher();
  const { manifest, state } = await runBackfill(config, donors, before);
  const after = new MemoryPublisher();
  await runBackfill(configUntil(T_END + 90 * MINUTE), donors, after, { from: state });
  return {
    manifest,
    backfill: toMessages(before.published),
    live: toMessages(after.published),
  };
}

/** Messages of a generator after T_end that has lost its state. */
export async function liveWithoutState(): Promise<Message[]> {
  const config = parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_SEED: "another",
    GEN_MODEL_T0: iso(T_END),
    GEN_MODEL_T_END: iso(T_END + 90 * MINUTE),
  });
  const memory = new MemoryPublisher();
  await runBackfill(config, new DonorPool(catalogueDonors(config.seed)), memory);
  return toMessages(memory.published);
}

const configUntil = (end: Micros): GeneratorConfig =>
  parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_SEED: "history",
    GEN_MODEL_T0: iso(T0),
    GEN_MODEL_T_END: iso(end),
  });

const iso = (at: Micros): string => new Date(at / 1000).toISOString();

/** A backfill of three days with two page events per minute. */
export async function makeDays(): Promise<Omit<History, "live">> {
  const config = parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_SEED: "days",
    GEN_MODEL_T0: "2026-01-01T00:00:00Z",
    GEN_MODEL_T_END: "2026-01-04T00:00:00Z",
    GEN_LAMBDA_BASE_PER_MIN: "2",
    GEN_TICK_SECONDS: "60",
  });
  const memory = new MemoryPublisher();
  const { manifest } = await runBackfill(
    config,
    new DonorPool(catalogueDonors(config.seed)),
    memory,
  );
  return { manifest, backfill: toMessages(memory.published) };
}

/** Empties the engine, then loads these messages with this manifest through all layers. */
export async function reload(
  db: Database,
  messages: readonly Message[],
  manifest: Manifest | undefined,
): Promise<void> {
  await clearAll(db);
  await publish(db, messages);
  if (manifest) await storeManifest(db, manifest);
  await load(db, "full");
}

export async function storeManifest(
  db: Database,
  manifest: Manifest,
  name = "backfill",
): Promise<void> {
  await storeSource(db, await currentEpoch(db), finishedHistory(name, manifest));
}
