import { randomInt } from "node:crypto";
import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";
import { emptyBatch } from "../../contract/ports.ts";
import { noStatement } from "../../contract/statement.ts";
import { loadKey } from "../../contract/topics.ts";
import type { LoadRecord } from "../../generator/operations/record.ts";
import { readSourceTexts } from "../../generator/operations/sources.ts";
import { FencedError } from "../../kafka/errors.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";

/**
 * Loads that one epoch can hold. Each key is also a transactional id, which a broker keeps for a
 * week after its last use (`transactional.id.expiration.ms`), and which every reset fences anew: so
 * the same few are used again, epoch after epoch.
 */
export const MOST_LOADS = 64;

export interface ClaimedLoad {
  readonly key: string;
  /** Writes under that key, as the only one. */
  readonly publisher: KafkaPublisher;
}

/**
 * Takes a key that no load of the epoch has. Loads that begin at once must not take each other's: one
 * is drawn by lot, and claimed with a record before anything is published. Who loses the race for it
 * has written nothing and draws again.
 * @throws UserError when the epoch holds as many loads as it can
 */
export async function claimLoad(
  admin: Admin,
  connection: BrokerConnection,
  epoch: number,
): Promise<ClaimedLoad> {
  for (;;) {
    const key = drawKey(await readSourceTexts(admin, epoch));
    const publisher = await KafkaPublisher.open({ connection, instance: key });
    try {
      // Between the look and the opening somebody else may have begun under it.
      const isFree = !(await readSourceTexts(admin, epoch)).has(key);
      if (isFree && (await isClaimed(publisher))) return { key, publisher };
    } catch (error) {
      await publisher.close();
      throw error;
    }
    await publisher.close();
  }
}

function drawKey(taken: ReadonlyMap<string, unknown>): string {
  const keys = Array.from({ length: MOST_LOADS }, (_, index) => loadKey(index + 1));
  const free = keys.filter((key) => !taken.has(key));
  const key = free[randomInt(Math.max(1, free.length))];
  if (key !== undefined) return key;
  throw new UserError(
    `${MOST_LOADS} loads stand in this epoch of the topics: there is room for no other`,
    "pipeline data without --no-reset begins a new epoch",
  );
}

/** False when another load has taken the key over meanwhile. */
async function isClaimed(publisher: KafkaPublisher): Promise<boolean> {
  const statement = noStatement();
  const manifest: LoadRecord = { kind: "load", statement, manifest: null, isFinal: false };
  try {
    await publisher.publishBatch(emptyBatch(), { manifest });
    return true;
  } catch (error) {
    if (error instanceof FencedError) return false;
    throw error;
  }
}
