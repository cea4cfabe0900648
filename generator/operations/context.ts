import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import { KafkaPublisher } from "../adapters/kafka.ts";
import type { PublishError } from "../adapters/kafka-errors.ts";
import type { GeneratorConfig } from "../config.ts";
import type { DonorPool } from "../model/donors.ts";
import type { GeneratorRun } from "../run.ts";
import { parseRecord, type StandRecord } from "./record.ts";
import { type Outgoing, Sender } from "./sender.ts";

/** Told of everything that happens; what it does with it never stops an operation. */
export interface Watcher {
  /** A batch stands; it had to be sent again `repeats` times. */
  committed(outgoing: Outgoing, repeats: number): void;
  /** An attempt failed at the broker: messages per topic that were not taken. */
  refused(failure: PublishError): void;
  /** What went wrong, before it is tried again. */
  troubled(error: Error): void;
  advanced(run: GeneratorRun): void;
  /** A tick of live generation ended, its batch committed. */
  ticked(seconds: number): void;
  /** Share of a history that is done, 0 to 1. */
  progressed(ratio: number): void;
}

/** What a step works with. */
export interface StepContext {
  readonly client: Admin;
  readonly connection: BrokerConnection;
  readonly stand: string;
  readonly config: GeneratorConfig;
  readonly donors: DonorPool;
  readonly watcher: Watcher;
  /** Asks to stop after the batch under way. */
  readonly signal: AbortSignal;
}

/** `stopped`: asked to; the state is saved and the same operation goes on from it. */
export type Outcome = "completed" | "stopped";

/** One attempt may wait this long for its coordinator. */
const ATTEMPT_MS = 10_000;

export interface TakenOver {
  readonly sender: Sender;
  /** As it stands now that nobody else can write it; null where there is none in this epoch. */
  readonly record: StandRecord | null;
}

/** Fences former producers of the stand and reads where they ended. */
export async function takeOver(context: StepContext): Promise<TakenOver> {
  const { connection, stand, watcher, signal } = context;
  let latest: KafkaPublisher | undefined;
  const sender = await Sender.open({
    stand,
    signal,
    open: async () => {
      latest = await KafkaPublisher.open({
        connection,
        stand,
        patienceMs: ATTEMPT_MS,
        attempts: 1,
        onFailure: (failure) => watcher.refused(failure),
      });
      return latest;
    },
    onCommitted: (outgoing, repeats) => watcher.committed(outgoing, repeats),
    onFailure: (error) => watcher.troubled(error),
  });
  try {
    const stored = await latest?.readLatest(STATE_TOPIC);
    const isCurrent = stored?.epoch === sender.epoch;
    return { sender, record: isCurrent ? parseRecord(stored.value) : null };
  } catch (error) {
    await sender.close();
    throw error;
  }
}

export interface RecordParts {
  readonly phase: "backfill" | "live";
  readonly batches: number;
  readonly tEnd: number | null;
  readonly checksum: string | null;
}

/** The record after a batch of the run. */
export function recordOf(
  run: GeneratorRun,
  { stateEnabled }: GeneratorConfig,
  { phase, batches, tEnd, checksum }: RecordParts,
): StandRecord {
  const state = run.state();
  const { counts, days } = state.ledger;
  return {
    version: state.version,
    phase,
    batches,
    t_end_us: tEnd,
    checksum,
    statement: stateEnabled ? null : { counts, days },
    generator: stateEnabled ? state : null,
  };
}
