import type { Admin } from "@platformatic/kafka";
import type { Database } from "../../contract/ports.ts";
import { requireEpoch } from "../../kafka/epoch.ts";

/** Deletes the messages of the topics that stg has, of every visitor. Kafka deletes their files when it rolls a segment. */
export async function deleteStoredMessages(db: Database, admin: Admin): Promise<void> {
  const stored = await db.rows<{ name: string; partitions: [number, string][] }>(
    `SELECT _topic AS name, groupArray((_partition, offset)) AS partitions
     FROM (SELECT _topic, _partition, toString(max(_offset) + 1) AS offset
       FROM stg.raw WHERE epoch = {epoch:UInt64} GROUP BY _topic, _partition)
     GROUP BY name`,
    { epoch: await requireEpoch(admin) },
  );
  const topics = stored.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(([partition, offset]) => ({ partition, offset: BigInt(offset) })),
  }));
  if (topics.length > 0) await admin.deleteRecords({ topics });
}
