import type { Database } from "../../contract/ports.ts";
import type { StoredEpoch } from "./epoch-header.ts";

/** Returns the latest epoch, which messages without the header belong to. */
export async function currentEpoch(db: Database): Promise<StoredEpoch> {
  const [row] = await db.rows<{ epoch: string }>(
    "SELECT toString(max(epoch)) AS epoch FROM stg.epoch",
  );
  return BigInt(row?.epoch ?? 0);
}
