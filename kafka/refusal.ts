import type { BrokerConnection } from "../contract/broker.ts";
import { explainTls } from "../contract/tls.ts";
import { BrokerError, causesOf, isRejectedLogin, reasonOf } from "./errors.ts";
import type { Right } from "./rights.ts";

const TRUST =
  "set the stack's broker.security.ca, or KAFKA_TLS_CA_FILE, to the PEM of the authority that signed it";
const PLAIN = "set the stack's broker.security.tls, or KAFKA_TLS, to false";
const LOGIN =
  "set the user's password: pulumi config set --secret event-pipeline:brokerPassword, or KAFKA_SASL_PASSWORD";
const GRANT =
  "grant them to the user; docs/how-to/use-your-own-kafka-or-clickhouse.md#rights lists all";

const placeOf = ({ bootstrap }: BrokerConnection): string => `Kafka at ${bootstrap.join(",")}`;
const userOf = ({ sasl }: BrokerConnection): string =>
  sasl ? `the user ${sasl.username}` : "clients";

/** Explains a failed TLS handshake or login; null for other errors. */
export function refusalOf(connection: BrokerConnection, error: unknown): BrokerError | null {
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
