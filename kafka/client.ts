import { isIP } from "node:net";
import { Admin, type BaseOptions } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { BrokerError, reasonOf } from "./errors.ts";
import { refusalOf } from "./refusal.ts";

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
  // A certificate's server name is never an IP address (RFC 6066).
  ...(connection.tls
    ? { tls: { ...connection.tls }, tlsServerName: !hasIpAddress(connection) }
    : {}),
  ...(connection.sasl ? { sasl: { ...connection.sasl } } : {}),
});

const hasIpAddress = ({ bootstrap }: BrokerConnection): boolean =>
  bootstrap.some((address) => isIP(address.slice(0, address.lastIndexOf(":"))) !== 0);

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

export function unreachable(connection: BrokerConnection, error: unknown): BrokerError {
  return (
    refusalOf(connection, error) ??
    new BrokerError(
      `Kafka at ${connection.bootstrap.join(",")} cannot be reached: ${reasonOf(error)}`,
      connection.tls || connection.sasl
        ? CHECK_OWN
        : "run make up to start the stack, or set KAFKA_BOOTSTRAP_SERVERS to the address of a running broker",
      error,
    )
  );
}

// The broker in a container has neither TLS nor users.
export const CHECK_OWN =
  "check that the broker runs, and that bootstrap and security in broker of the stack's configuration describe its listener";
