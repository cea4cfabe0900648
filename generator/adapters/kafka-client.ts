import { Admin, type BaseOptions } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** Options every client of ours shares: few retries, so that an absent broker is told soon. */
export const clientOptions = (connection: BrokerConnection, clientId: string): BaseOptions => ({
  clientId,
  bootstrapBrokers: [...connection.bootstrap],
  connectTimeout: CONNECT_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  retries: 3,
  retryDelay: 100,
  ...(connection.tls ? { tls: { ...connection.tls }, tlsServerName: true } : {}),
  ...(connection.sasl ? { sasl: { ...connection.sasl } } : {}),
});

/**
 * Opens a client of the cluster and asks it something, so that what is wrong with the address or
 * the credentials is known at once.
 * @throws UserError when Kafka cannot be reached
 */
export async function openBroker(connection: BrokerConnection, clientId: string): Promise<Admin> {
  const admin = new Admin(clientOptions(connection, clientId));
  try {
    await admin.metadata({ topics: [] });
    return admin;
  } catch (error) {
    await admin.close();
    throw unreachable(connection, error);
  }
}

function unreachable({ bootstrap }: BrokerConnection, error: unknown): UserError {
  return new UserError(
    `Kafka at ${bootstrap.join(",")} cannot be reached: ${reasonOf(error)}`,
    "make up (starts the stack), or set KAFKA_BOOTSTRAP_SERVERS to the address of a running broker",
  );
}

/** The innermost reason of a client's error, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors.at(-1) : error.cause;
  const reason = inner instanceof Error ? reasonOf(inner) : error.message;
  return (reason || (error as NodeJS.ErrnoException).code || error.name).split("\n")[0] ?? "";
}

/** Names of all protocol errors inside a client's error, e.g. `PRODUCER_FENCED`. */
export function protocolErrors(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { apiId, cause } = error as Error & { apiId?: unknown };
  const inner = error instanceof AggregateError ? error.errors : [];
  return [
    ...(typeof apiId === "string" ? [apiId] : []),
    ...[...inner, cause].flatMap(protocolErrors),
  ];
}
