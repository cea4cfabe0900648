import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { SourceRecord } from "../../contract/source.ts";
import { addBatch, emptyStatement } from "../../contract/statement.ts";
import { REPLAY_KEY } from "../../contract/topics.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import type { OpenBroker } from "../loader/over-broker.ts";
import { waitForStorage } from "../loader/wait-for-storage.ts";
import { requireSameEpoch, syncSources } from "../sources/broker.ts";
import type { Destination } from "./replay.ts";

/** Publishes to the topics: a batch and the record of the source are one transaction. */
export async function openTopics(
  db: Database,
  { admin, connection }: Pick<OpenBroker, "admin" | "connection">,
): Promise<Destination> {
  await requireSameEpoch(db, admin);
  // Opening ends the transaction of a killed replay, so what it sent is decided.
  const publisher = await KafkaPublisher.open({ connection, instance: REPLAY_KEY });
  const follow = async () => {
    if (await waitForStorage(db, admin, publisher.epoch, () => undefined))
      return syncSources(db, admin);
    throw new UserError(
      "The database does not read from Kafka",
      "run make ddl and make topics, then retry",
    );
  };
  try {
    const { statement = emptyStatement() } = (await publisher.readRecord()) ?? {};
    await follow();
    return {
      publish: async (batch) => {
        addBatch(statement, batch);
        const manifest: SourceRecord = { kind: "replay", statement, isFinal: true };
        await publisher.publishBatch(batch, { manifest });
        await follow();
      },
      close: () => publisher.close(),
    };
  } catch (error) {
    await publisher.close();
    throw error;
  }
}
