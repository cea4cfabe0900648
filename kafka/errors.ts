import { UserError } from "../contract/errors.ts";
import { explainTls } from "../contract/tls.ts";

/** Hint for conditions that are usually temporary. */
export const TRANSIENT_HINT = "run make urls to see whether Kafka answers, then retry";

export class BrokerError extends UserError {
  constructor(message: string, next: string, cause?: unknown) {
    super(message, next);
    this.cause = cause;
  }
}

/** Error of a producer that can never write again. */
export class FencedError extends UserError {
  constructor(transactionalId: string) {
    super(
      `Another producer has taken over the transactional id ${transactionalId}: a second generator of the instance, re-created topics, or a pause beyond the transaction timeout`,
      "stop the other generator or set another GENERATOR_INSTANCE, then restart to resume from the stored state",
    );
  }
}

/** Error of a transaction that is not committed, or whose outcome is unknown. */
export class PublishError extends Error {
  override readonly name = "PublishError";
  /** Messages by topic. */
  readonly topics: Readonly<Record<string, number>>;
  /** If `unknown`, only the stored state shows whether the transaction committed. */
  readonly outcome: "aborted" | "unknown";

  constructor({
    message,
    cause,
    topics,
    outcome,
  }: Pick<PublishError, "message" | "topics" | "outcome"> & { readonly cause: unknown }) {
    super(message, { cause });
    this.topics = topics;
    this.outcome = outcome;
  }
}

const FENCED = new Set(["PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"]);

const PASSING = new Set([
  "BROKER_NOT_AVAILABLE",
  "CONCURRENT_TRANSACTIONS",
  "COORDINATOR_LOAD_IN_PROGRESS",
  "COORDINATOR_NOT_AVAILABLE",
  "NETWORK_EXCEPTION",
  "NOT_COORDINATOR",
  "REQUEST_TIMED_OUT",
]);

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

export const isPermanent = (error: unknown): boolean =>
  protocolErrors(error).some((name) => FINAL.has(name));

export function isTransient(error: unknown): boolean {
  if (isRefusal(error)) return false;
  const names = protocolErrors(error);
  return names.length > 0 ? names.every((name) => PASSING.has(name)) : isNetworkError(error);
}

/** True if TLS or the login failed: a retry with the same settings fails again. */
const isRefusal = (error: unknown): boolean =>
  isRejectedLogin(error) ||
  causesOf(error).some((each) => explainTls(each, NO_TEXTS) !== undefined);

const NO_TEXTS = { what: "", trust: "", plain: "" };

export const isRejectedLogin = (error: unknown): boolean =>
  causesOf(error).some((each) => (each as NodeJS.ErrnoException).code === "PLT_KFK_AUTHENTICATION");

export const isDenied = (error: unknown): boolean =>
  protocolErrors(error).some((name) => name.endsWith("_AUTHORIZATION_FAILED"));

function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ((error as NodeJS.ErrnoException).code === "PLT_KFK_NETWORK") return true;
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.some(isNetworkError);
}

/** Returns the innermost reason in one line; a UserError keeps its message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof PublishError || error instanceof UserError) return error.message;
  const inner = error instanceof AggregateError ? error.errors.at(-1) : error.cause;
  const reason = inner instanceof Error ? reasonOf(inner) : error.message;
  return (reason || (error as NodeJS.ErrnoException).code || error.name).split("\n")[0] ?? "";
}

export const protocolErrors = (error: unknown): string[] =>
  causesOf(error)
    .map((each) => (each as Error & { apiId?: unknown }).apiId)
    .filter((id) => typeof id === "string");

/** Returns an error and the errors that caused it, outermost first. */
export function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...inner, error.cause].flatMap(causesOf)];
}
