import type { Admin } from "@platformatic/kafka";
import type { Database } from "../contract/ports.ts";
import { EPOCH_KEY, EPOCH_TOPIC, TRANSACTIONAL_ID_PREFIX } from "../contract/topics.ts";
import { encodeControl } from "./encode.ts";
import { type EpochRecord, readIntactEpoch, waitForEpoch } from "./epoch.ts";
import { TransactionalProducer } from "./transaction.ts";

/** Transactional id of the writer of epochs. */
export const EPOCH_PRODUCER_ID = `${TRANSACTIONAL_ID_PREFIX}topics`;
const PATIENCE_MS = 30_000;

/** Opens the writer of epochs. A second writer fences the first. */
export async function openEpochProducer(admin: Admin): Promise<TransactionalProducer> {
  const producer = new TransactionalProducer(admin, {
    transactionalId: EPOCH_PRODUCER_ID,
    patienceMs: PATIENCE_MS,
  });
  await producer.open();
  return producer;
}

/** Records a new epoch. Call before creating topics, so that no new topic has an old epoch. */
export async function startEpoch(
  admin: Admin,
  producer: TransactionalProducer,
  db: Database | null,
  reason: string,
): Promise<number> {
  const previous = await readIntactEpoch(admin);
  const latest = Math.max(previous?.epoch ?? 0, db ? await latestEpoch(db) : 0);
  // Wall-clock time, so that epochs sort and two machines do not begin the same one.
  const epoch = Math.max(Date.now(), latest + 1);
  if (db) await registerEpoch(db, epoch, reason);
  const record: EpochRecord = { epoch, reason, started_at: new Date().toISOString() };
  const value = JSON.stringify(record);
  await producer.commit(encodeControl(epoch, [{ topic: EPOCH_TOPIC, key: EPOCH_KEY, value }]));
  await waitForEpoch(admin, epoch);
  return epoch;
}

/** Adds an epoch to `stg.epoch`. @returns false if the table does not exist yet */
export async function registerEpoch(db: Database, epoch: number, reason: string): Promise<boolean> {
  if (!(await hasRegistry(db))) return false;
  await db.run(
    `INSERT INTO stg.epoch (epoch, reason)
     SELECT {epoch:UInt64}, {reason:String}
     WHERE {epoch:UInt64} NOT IN (SELECT epoch FROM stg.epoch)`,
    { epoch, reason },
  );
  return true;
}

async function latestEpoch(db: Database): Promise<number> {
  if (!(await hasRegistry(db))) return 0;
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  return Number(row?.epoch ?? 0);
}

export async function hasRegistry(db: Database): Promise<boolean> {
  const found = await db.rows(
    "SELECT 1 FROM system.tables WHERE database = 'stg' AND name = 'epoch'",
  );
  return found.length > 0;
}
