import { GenericError } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { BrokerError, PublishError, reasonOf } from "./errors.ts";

/** Returns other errors unchanged. */
export function explainFailure(
  error: unknown,
  { bootstrap }: BrokerConnection,
  hint: string,
): unknown {
  if (!isFromBroker(error)) return error;
  const where = `Kafka at ${bootstrap.join(",")}`;
  return new BrokerError(`${where} failed the command: ${reasonOf(error)}`, hint, error);
}

const isFromBroker = (error: unknown): error is Error =>
  error instanceof PublishError || (error instanceof Error && GenericError.isGenericError(error));
