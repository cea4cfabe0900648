import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { committedEnds, waitForDelivery } from "../../kafka/consumer-lag.ts";
import { queueState } from "../ingest/consumption.ts";

/** Longest time without a new row in stg. */
const STANDSTILL_MS = 90_000;
const POLL_MS = 3_000;

/** Waits for stg. @returns false without Kafka readers @throws UserError when reading stalls */
export async function waitForStorage(
  db: Database,
  admin: Admin,
  epoch: number,
  onProgress: (rows: number) => void,
): Promise<boolean> {
  if ((await queueState(db)) !== "attached") return false;
  const ends = await committedEnds(admin);
  let latest = -1;
  for (let movedAt = Date.now(); ; await sleep(RETRY_MS)) {
    if (await waitForDelivery(admin, ends, POLL_MS)) return true;
    const rows = await storedRows(db, epoch);
    onProgress(rows);
    if (rows !== latest) movedAt = Date.now();
    latest = rows;
    if (Date.now() - movedAt > STANDSTILL_MS) throw standstill(rows);
  }
}

const RETRY_MS = 100;

async function storedRows(db: Database, epoch: number): Promise<number> {
  const [row] = await db.rows<{ rows: number }>(
    "SELECT count() AS rows FROM stg.raw WHERE epoch = {epoch:UInt64}",
    { epoch },
  );
  return Number(row?.rows ?? 0);
}

const standstill = (rows: number): UserError =>
  new UserError(
    `The database has read nothing more from Kafka for ${STANDSTILL_MS / 1000} s; stg holds ${rows} rows of this epoch`,
    "run make doctor, or SELECT * FROM system.kafka_consumers for the consumers' errors",
  );
