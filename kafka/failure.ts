import { GenericError } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { BrokerError, PublishError, reasonOf } from "./errors.ts";

/** Converts a broker error to a BrokerError; returns other errors unchanged. */
export function explainFailure(
  error: unknown,
  { bootstrap }: BrokerConnection,
  hint: string,
): unknown {
  if (!isFromBroker(error)) return error;
  const where = `Kafka at ${bootstrap.join(",")}`;
  return new BrokerError(`${where} reported an error: ${reasonOf(error)}`, hint, error);
}

const isFromBroker = (error: unknown): error is Error =>
  error instanceof PublishError || (error instanceof Error && GenericError.isGenericError(error));
