import { UserError } from "../../contract/errors.ts";
import { protocolErrors } from "./kafka-client.ts";

/** Another producer has taken over the transactional id; this one may never write again. */
export class FencedError extends UserError {
  constructor(transactionalId: string) {
    super(
      `Another producer has taken over as ${transactionalId}: a second generator of the same stand, topics that were recreated, or a pause longer than the transaction timeout`,
      "Stop the other one, or give this one its own name (GENERATOR_STAND); a restart continues from the stored state",
    );
  }
}

export interface PublishFailure {
  readonly message: string;
  /** Messages per topic that were not taken. */
  readonly topics: Readonly<Record<string, number>>;
  /** `unknown`: the transaction may or may not stand; only the stored state tells. */
  readonly outcome: "aborted" | "unknown";
  readonly cause: unknown;
}

/** A transaction that did not go through. Nothing of it is visible, unless its outcome is unknown. */
export class PublishError extends Error {
  override readonly name = "PublishError";
  readonly topics: Readonly<Record<string, number>>;
  readonly outcome: "aborted" | "unknown";

  constructor({ message, topics, outcome, cause }: PublishFailure) {
    super(message, { cause });
    this.topics = topics;
    this.outcome = outcome;
  }
}

const FENCED = new Set(["PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"]);

/** Conditions of the cluster that end by themselves. */
const PASSING = new Set([
  "BROKER_NOT_AVAILABLE",
  "CONCURRENT_TRANSACTIONS",
  "COORDINATOR_LOAD_IN_PROGRESS",
  "COORDINATOR_NOT_AVAILABLE",
  "NETWORK_EXCEPTION",
  "NOT_COORDINATOR",
  "REQUEST_TIMED_OUT",
]);

/** Refusals that no repetition cures. */
const FINAL = new Set([
  "CLUSTER_AUTHORIZATION_FAILED",
  "INVALID_RECORD",
  "INVALID_TIMESTAMP",
  "INVALID_TRANSACTION_TIMEOUT",
  "MESSAGE_TOO_LARGE",
  "POLICY_VIOLATION",
  "RECORD_LIST_TOO_LARGE",
  "SASL_AUTHENTICATION_FAILED",
  "TOPIC_AUTHORIZATION_FAILED",
  "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
  "UNSUPPORTED_VERSION",
]);

export const isFenced = (error: unknown): boolean =>
  protocolErrors(error).some((name) => FENCED.has(name));

export const isFinal = (error: unknown): boolean =>
  protocolErrors(error).some((name) => FINAL.has(name));

/** Whether the coordinator may answer otherwise when asked again. */
export function isPassing(error: unknown): boolean {
  const names = protocolErrors(error);
  return names.length > 0 ? names.every((name) => PASSING.has(name)) : isNetworkError(error);
}

/** The broker could not be asked, or its answer did not arrive. */
function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ((error as NodeJS.ErrnoException).code === "PLT_KFK_NETWORK") return true;
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.some(isNetworkError);
}
