import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Admin, type BaseOptions, GenericError } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { explainTls } from "../contract/tls.ts";
import {
  BrokerError,
  causesOf,
  isDenied,
  isRejectedLogin,
  isTransient,
  PublishError,
  reasonOf,
} from "./errors.ts";
import { missingRights, type Right } from "./rights.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
const NO_BROKER = new BrokerError("no broker is available for new topics", "");
const RETRY_MS = 200;

// The broker in a container has neither TLS nor users.
const CHECK_OWN =
  "check that the broker runs, and that bootstrap and security in broker of the stack's configuration describe its listener";

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

function unreachable(connection: BrokerConnection, error: unknown): BrokerError {
  return (
    refusalOf(connection, error) ??
    new BrokerError(
      `${placeOf(connection)} cannot be reached: ${reasonOf(error)}`,
      connection.tls || connection.sasl
        ? CHECK_OWN
        : "run make up to start the stack, or set KAFKA_BOOTSTRAP_SERVERS to the address of a running broker",
      error,
    )
  );
}

/** Waits for the broker; permanent errors fail at once. @throws BrokerError after `seconds` */
export async function waitForStartup(connection: BrokerConnection, seconds: number): Promise<void> {
  const admin = new Admin({ ...clientOptions(connection, "pipeline"), retries: 0 });
  try {
    for (const deadline = Date.now() + seconds * 1000; ; await sleep(RETRY_MS)) {
      const obstacle = await obstacleOf(admin);
      if (obstacle === null) return;
      if (obstacle !== NO_BROKER && !isTransient(obstacle)) throw unreachable(connection, obstacle);
      if (Date.now() > deadline) throw notStarted(connection, seconds, obstacle);
    }
  } finally {
    await admin.close();
  }
}

const notStarted = (connection: BrokerConnection, seconds: number, obstacle: unknown) =>
  new BrokerError(
    `${placeOf(connection)} has not started within ${seconds} s: ${reasonOf(obstacle)}`,
    connection.tls || connection.sasl
      ? CHECK_OWN
      : "run make logs SERVICE=kafka to see the reason, then retry",
    obstacle,
  );

async function obstacleOf(admin: Admin): Promise<unknown> {
  try {
    const { brokers } = await admin.metadata({ topics: [], forceUpdate: true });
    return brokers.size > 0 ? null : NO_BROKER;
  } catch (error) {
    return error;
  }
}

/** Converts a broker error to a BrokerError; returns other errors unchanged. */
export async function explainFailure(
  error: unknown,
  connection: BrokerConnection,
  hint: string,
): Promise<unknown> {
  if (!isFromBroker(error)) return error;
  if (isDenied(error)) return denialOf(connection, await lackingRights(connection), error);
  const refusal = refusalOf(connection, error);
  if (refusal) return refusal;
  return new BrokerError(
    `${placeOf(connection)} reported an error: ${reasonOf(error)}`,
    hint,
    error,
  );
}

const isFromBroker = (error: unknown): error is Error =>
  error instanceof PublishError || (error instanceof Error && GenericError.isGenericError(error));

/** Returns no rights if the broker went away meanwhile. */
async function lackingRights(connection: BrokerConnection): Promise<Right[]> {
  const admin = await openBroker(connection, "pipeline").catch(() => null);
  try {
    return admin ? await missingRights(admin) : [];
  } catch {
    return [];
  } finally {
    await admin?.close();
  }
}

const TRUST =
  "set the stack's kafka.security.ca, or KAFKA_TLS_CA_FILE, to the PEM of the authority that signed it";
const PLAIN = "set the stack's kafka.security.tls, or KAFKA_TLS, to false";
const LOGIN =
  "set the user's password: pulumi config set --secret event-pipeline:kafkaPassword, or KAFKA_SASL_PASSWORD";
const GRANT =
  "grant them to the user; docs/how-to/use-your-own-kafka-or-clickhouse.md#rights lists all";

const placeOf = ({ bootstrap }: BrokerConnection): string => `Kafka at ${bootstrap.join(",")}`;
const userOf = ({ sasl }: BrokerConnection): string =>
  sasl ? `the user ${sasl.username}` : "clients";

/** Explains a failed TLS handshake or login; null for other errors. */
function refusalOf(connection: BrokerConnection, error: unknown): BrokerError | null {
  const what = placeOf(connection);
  for (const cause of causesOf(error)) {
    const found = explainTls(cause, { what, trust: TRUST, plain: PLAIN });
    if (found) return new BrokerError(found.message, found.hint ?? TRUST, error);
  }
  if (!isRejectedLogin(error)) return null;
  const { mechanism } = connection.sasl ?? {};
  const message = `${what} rejected ${userOf(connection)} (${mechanism}): ${reasonOf(error)}`;
  return new BrokerError(message, LOGIN, error);
}

/** Explains a request that the broker's access control lists deny. */
export function denialOf(
  connection: BrokerConnection,
  missing: readonly Right[],
  error?: unknown,
): BrokerError {
  const certain = missing.filter((right) => !right.isForReset && right.operation !== "CREATE");
  const rights = (certain.length > 0 ? certain : missing).map(textOf).join("; ");
  const message = `${placeOf(connection)} denies rights to ${userOf(connection)}: ${rights || reasonOf(error)}`;
  return new BrokerError(message, GRANT, error);
}

const KINDS = { TOPIC: "topic", GROUP: "consumer group", TRANSACTIONAL_ID: "transactional id" };

const textOf = ({ operation, resource, pattern, names }: Right): string =>
  `${operation} on the ${KINDS[resource]} ${names.join(", ")}${pattern === "PREFIXED" ? "*" : ""}`;
