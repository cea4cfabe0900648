import { type Admin, listTransactionsV0 } from "@platformatic/kafka";
import { TRANSACTIONAL_ID_PREFIX } from "../contract/topics.ts";
import { TransactionCoordinator } from "./coordinator.ts";

const PATIENCE_MS = 30_000;

/** Fences producers, which fail at the next batch and must restart. @returns the fenced ids */
export async function fenceProducers(admin: Admin, except: string): Promise<string[]> {
  const ids = (await transactionalIds(admin)).filter(
    (id) => id.startsWith(TRANSACTIONAL_ID_PREFIX) && id !== except,
  );
  for (const id of ids) {
    const coordinator = new TransactionCoordinator(admin, id);
    await coordinator.initialise(undefined, Date.now() + PATIENCE_MS);
  }
  return ids;
}

/** Lists transactional ids of all brokers, because each broker lists only the ids it coordinates. */
async function transactionalIds(admin: Admin): Promise<string[]> {
  const connections = await admin.connectToBrokers();
  const ids = new Set<string>();
  for (const connection of connections.values()) {
    const { transactionStates } = await listTransactionsV0.api.async(connection, [], [], -1n, null);
    for (const { transactionalId } of transactionStates) ids.add(transactionalId);
  }
  return [...ids];
}
