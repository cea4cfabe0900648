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

/** Each key is a transactional id, which the broker keeps for a week, so epochs reuse a few. */
export const MOST_LOADS = 64;

export interface ClaimedLoad {
  readonly key: string;
  readonly publisher: KafkaPublisher;
}

export async function claimLoad(
  admin: Admin,
  connection: BrokerConnection,
  epoch: number,
): Promise<ClaimedLoad> {
  for (;;) {
    const key = drawKey(await readSourceTexts(admin, epoch));
    const publisher = await KafkaPublisher.open({ connection, instance: key });
    try {
      // Another load may have taken the key between the check and the opening.
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
    `This epoch of the topics has ${MOST_LOADS} loads, the maximum`,
    "run pipeline data without --no-reset to start a new epoch",
  );
}

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
