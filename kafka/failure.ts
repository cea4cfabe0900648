import { GenericError } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { openBroker } from "./client.ts";
import { BrokerError, isDenied, PublishError, reasonOf } from "./errors.ts";
import { missingRights } from "./missing-rights.ts";
import { denialOf, refusalOf } from "./refusal.ts";
import type { Right } from "./rights.ts";

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
  const where = `Kafka at ${connection.bootstrap.join(",")}`;
  return new BrokerError(`${where} reported an error: ${reasonOf(error)}`, hint, error);
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
