import { Admin, type BaseOptions } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { BrokerError, reasonOf } from "./errors.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** Client options with few retries, so that an unreachable broker is reported soon. */
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

/** Connects, and sends one request so that a wrong address fails now. @throws BrokerError */
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

export function unreachable({ bootstrap }: BrokerConnection, error: unknown): BrokerError {
  return new BrokerError(
    `Kafka at ${bootstrap.join(",")} cannot be reached: ${reasonOf(error)}`,
    "run make up to start the stack, or set KAFKA_BOOTSTRAP_SERVERS to the address of a running broker",
    error,
  );
}
