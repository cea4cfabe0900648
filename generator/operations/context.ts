import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import type { PublishError } from "../../kafka/errors.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import type { GeneratorConfig } from "../config.ts";
import type { DonorPool } from "../model/donors.ts";
import type { GeneratorRun } from "../run.ts";
import { type KnownRecord, requireUnchanged, waitForRecord } from "./known-record.ts";
import { type ChosenSettings, chosenPart, type InstanceRecord } from "./record.ts";
import { type OutgoingBatch, RetryingPublisher } from "./retrying-publisher.ts";

/** Observer of an operation; errors of an observer do not stop the operation. */
export interface Watcher {
  committed(outgoing: OutgoingBatch, repeats: number): void;
  /** Called for a failed attempt. `failure` has the number of rejected messages per topic. */
  refused(failure: PublishError): void;
  troubled(error: Error): void;
  advanced(run: GeneratorRun): void;
  ticked(seconds: number): void;
  /** Called with the written share of a history, 0 to 1. */
  progressed(ratio: number): void;
}

export interface StepContext {
  readonly client: Admin;
  readonly connection: BrokerConnection;
  readonly instance: string;
  readonly config: GeneratorConfig;
  readonly chosen: ChosenSettings;
  readonly donors: DonorPool;
  readonly watcher: Watcher;
  /** Record that the decision used, or the latest one that this process wrote. */
  readonly known: KnownRecord;
  readonly signal: AbortSignal;
}

/** Outcome of a step. `stopped`: on request; the same operation resumes from the saved state. */
export type Outcome = "completed" | "stopped";

/** Longest wait of one attempt for the coordinator, ms. */
const ATTEMPT_MS = 10_000;

export interface Takeover {
  readonly publisher: RetryingPublisher;
  /** Record under exclusive write access; null if there is none in this epoch. */
  readonly record: InstanceRecord | null;
}

export async function runAsWriter(
  context: StepContext,
  work: (taken: Takeover) => Promise<Outcome>,
): Promise<Outcome> {
  const taken = await takeOver(context);
  try {
    const outcome = await work(taken);
    if (await taken.publisher.recordShutdown()) await waitForRecord(context);
    return outcome;
  } finally {
    await taken.publisher.close();
  }
}

/** Fences previous producers. @throws UserError if the instance changed after the decision */
async function takeOver(context: StepContext): Promise<Takeover> {
  const { connection, instance, watcher, signal, known } = context;
  const open = () =>
    KafkaPublisher.open({
      connection,
      instance,
      patienceMs: ATTEMPT_MS,
      attempts: 1,
      onFailure: (failure) => watcher.refused(failure),
    });
  const opened = await open();
  try {
    const record = await requireUnchanged(opened, known, instance);
    const publisher = new RetryingPublisher(opened, {
      instance,
      signal,
      open,
      known,
      ends: record?.ends ?? {},
      onCommitted: (outgoing, repeats) => watcher.committed(outgoing, repeats),
      onFailure: (error) => watcher.troubled(error),
    });
    return { publisher, record };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

export function recordOf(
  run: GeneratorRun,
  { config: { stateEnabled }, chosen }: Pick<StepContext, "config" | "chosen">,
  position: Pick<InstanceRecord, "phase" | "batches" | "t_end_us" | "checksum">,
): InstanceRecord {
  const state = run.state();
  const { counts, days } = state.sent;
  return {
    version: state.version,
    ...position,
    stopped: false,
    ends: {},
    statement: stateEnabled ? null : { counts, days },
    ...chosenPart(chosen),
    generator: stateEnabled ? state : null,
  };
}
