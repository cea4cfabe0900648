import type { Admin } from "@platformatic/kafka";
import type { Database } from "../../contract/ports.ts";
import { CONSUMER_GROUP } from "../../contract/topics.ts";
import { replaceOffsets } from "../../kafka/consumer-groups.ts";
import { requireEpoch } from "../../kafka/epoch.ts";
import { copyOf } from "./snapshots.ts";

/**
 * Moves the readers of the topics to the end of the copies' rows of the current epoch; what the copies lack of it, they
 * read again. The generator's state stays in Kafka.
 */
export async function moveReaders(db: Database, admin: Admin): Promise<void> {
  const epoch = await requireEpoch(admin);
  await db.run(
    `INSERT INTO ${copyOf("stg.epoch")} (epoch, reason)
     SELECT {epoch:UInt64}, 'restore' WHERE {epoch:UInt64} NOT IN (SELECT epoch FROM ${copyOf("stg.epoch")})`,
    { epoch },
  );
  const stored = await db.rows<{ topic: string; partition: number; offset: string }>(
    `SELECT _topic AS topic, _partition AS partition, toString(max(_offset) + 1) AS offset
     FROM ${copyOf("stg.raw")} WHERE epoch = {epoch:UInt64} GROUP BY topic, partition`,
    { epoch },
  );
  await replaceOffsets(admin, CONSUMER_GROUP, stored);
}
