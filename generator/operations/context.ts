import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import type { PublishError } from "../../kafka/errors.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import type { GeneratorConfig } from "../config.ts";
import type { DonorPool } from "../model/donors.ts";
import type { GeneratorRun } from "../run.ts";
import { type KnownRecord, requireUnchanged, waitUntilVisible } from "./known-record.ts";
import { type ChosenSettings, chosenPart, type InstanceRecord } from "./record.ts";
import { type Outgoing, Sender } from "./sender.ts";

/** Observes everything that happens; it cannot stop an operation. */
export interface Watcher {
  committed(outgoing: Outgoing, repeats: number): void;
  /** `failure` has the number of rejected messages per topic. */
  refused(failure: PublishError): void;
  troubled(error: Error): void;
  advanced(run: GeneratorRun): void;
  ticked(seconds: number): void;
  /** Share of a history that is written, 0 to 1. */
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
  /** The record before the step, as decided and written so far. */
  readonly known: KnownRecord;
  readonly signal: AbortSignal;
}

/** `stopped`: on request; the state is saved and the same operation resumes from it. */
export type Outcome = "completed" | "stopped";

/** Longest wait of one attempt for its coordinator, ms. */
const ATTEMPT_MS = 10_000;

export interface TakenOver {
  readonly sender: Sender;
  /** The record under exclusive write access; null if there is none in this epoch. */
  readonly record: InstanceRecord | null;
}

export async function runAsWriter(
  context: StepContext,
  work: (taken: TakenOver) => Promise<Outcome>,
): Promise<Outcome> {
  const taken = await takeOver(context);
  try {
    const outcome = await work(taken);
    if (await taken.sender.rest()) await waitUntilVisible(context);
    return outcome;
  } finally {
    await taken.sender.close();
  }
}

/** Fences previous producers. @throws UserError if the instance has changed since the decision */
async function takeOver(context: StepContext): Promise<TakenOver> {
  const { connection, instance, watcher, signal, known } = context;
  const open = () =>
    KafkaPublisher.open({
      connection,
      instance,
      patienceMs: ATTEMPT_MS,
      attempts: 1,
      onFailure: (failure) => watcher.refused(failure),
    });
  const publisher = await open();
  try {
    const record = await requireUnchanged(publisher, known, instance);
    const sender = new Sender(publisher, {
      instance,
      signal,
      open,
      known,
      ends: record?.ends ?? {},
      onCommitted: (outgoing, repeats) => watcher.committed(outgoing, repeats),
      onFailure: (error) => watcher.troubled(error),
    });
    return { sender, record };
  } catch (error) {
    await publisher.close();
    throw error;
  }
}

export interface RecordParts {
  readonly phase: "backfill" | "live";
  readonly batches: number;
  readonly tEnd: number | null;
  readonly checksum: string | null;
}

export function recordOf(
  run: GeneratorRun,
  { config: { stateEnabled }, chosen }: Pick<StepContext, "config" | "chosen">,
  { phase, batches, tEnd, checksum }: RecordParts,
): InstanceRecord {
  const state = run.state();
  const { counts, days } = state.ledger;
  return {
    version: state.version,
    phase,
    batches,
    t_end_us: tEnd,
    checksum,
    stopped: false,
    ends: {},
    statement: stateEnabled ? null : { counts, days },
    ...chosenPart(chosen),
    generator: stateEnabled ? state : null,
  };
}
