import { setTimeout as sleep } from "node:timers/promises";
import {
  type Admin,
  addPartitionsToTxnV3,
  type Connection,
  endTxnV3,
  FindCoordinatorKeyTypes,
  initProducerIdV4,
  listTransactionsV0,
} from "@platformatic/kafka";
import { TRANSACTIONAL_ID_PREFIX } from "../contract/topics.ts";
import { BrokerError, isTransient, TRANSIENT_HINT } from "./errors.ts";
import type { Producer } from "./records.ts";

/** Retry delays: a commit usually completes within milliseconds, so start short and back off. */
const FIRST_WAIT_MS = 2;
const MAX_WAIT_MS = 500;
/** Time after which the broker aborts an open transaction. */
export const TRANSACTION_TIMEOUT_MS = 60_000;
const FENCING_TIMEOUT_MS = 30_000;

export type Partitions = readonly { readonly name: string; readonly partitions: number[] }[];

/** Client of the transaction coordinator. Retries until `deadline` (wall clock, ms). */
export class TransactionCoordinator {
  readonly #client: Admin;
  readonly #transactionalId: string;
  readonly #timeoutMs: number;
  #address: { host: string; port: number } | undefined;

  constructor(client: Admin, transactionalId: string, timeoutMs = TRANSACTION_TIMEOUT_MS) {
    this.#client = client;
    this.#transactionalId = transactionalId;
    this.#timeoutMs = timeoutMs;
  }

  /** Fences all other producers with the id, or only those older than `current`. */
  async initialise(current: Producer | undefined, deadline: number): Promise<Producer> {
    const { producerId, producerEpoch } = await this.#ask(
      (connection) =>
        initProducerIdV4.api.async(
          connection,
          this.#transactionalId,
          this.#timeoutMs,
          current?.id ?? -1n,
          current?.epoch ?? -1,
        ),
      deadline,
    );
    return { id: producerId, epoch: producerEpoch };
  }

  async addPartitions(producer: Producer, topics: Partitions, deadline: number): Promise<void> {
    const transaction = {
      transactionalId: this.#transactionalId,
      producerId: producer.id,
      producerEpoch: producer.epoch,
      verifyOnly: false,
      topics: topics.map(({ name, partitions }) => ({ name, partitions })),
    };
    await this.#ask(
      (connection) => addPartitionsToTxnV3.api.async(connection, [transaction]),
      deadline,
    );
  }

  async end(producer: Producer, outcome: "commit" | "abort", deadline: number): Promise<void> {
    await this.#ask(
      (connection) =>
        endTxnV3.api.async(
          connection,
          this.#transactionalId,
          producer.id,
          producer.epoch,
          outcome === "commit",
        ),
      deadline,
    );
  }

  async #ask<T>(request: (connection: Connection) => Promise<T>, deadline: number): Promise<T> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      try {
        this.#address ??= await this.#find();
        return await request(await this.#client.connections.get(this.#address));
      } catch (error) {
        if (!isTransient(error) || Date.now() + wait > deadline) throw error;
        // A repeated failure may mean that the coordinator has moved, so look it up again.
        if (wait > FIRST_WAIT_MS) this.#address = undefined;
      }
      await sleep(wait);
    }
  }

  async #find(): Promise<{ host: string; port: number }> {
    const [found] = await this.#client.findCoordinator({
      keyType: FindCoordinatorKeyTypes.TRANSACTION,
      keys: [this.#transactionalId],
    });
    if (!found) {
      throw new BrokerError("Kafka has no available transaction coordinator", TRANSIENT_HINT);
    }
    return { host: found.host, port: found.port };
  }
}

/** Fences producers, which fail at the next batch and must restart. @returns the fenced ids */
export async function fenceProducers(admin: Admin, except: string): Promise<string[]> {
  const ids = (await transactionalIds(admin)).filter(
    (id) => id.startsWith(TRANSACTIONAL_ID_PREFIX) && id !== except,
  );
  for (const id of ids) {
    const coordinator = new TransactionCoordinator(admin, id);
    await coordinator.initialise(undefined, Date.now() + FENCING_TIMEOUT_MS);
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
