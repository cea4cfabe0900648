import { randomInt } from "node:crypto";
import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";
import { emptyBatch } from "../../contract/ports.ts";
import type { SourceRecord } from "../../contract/source.ts";
import { emptyStatement } from "../../contract/statement.ts";
import { loadKey } from "../../contract/topics.ts";
import { FencedError } from "../../kafka/errors.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { readSourceTexts } from "../../kafka/sources.ts";

/**
 * Maximum number of loads per epoch: each load key is a transactional id, which the broker keeps
 * for a week.
 */
export const MAX_LOADS = 64;

export interface LoadWriter {
  readonly key: string;
  readonly publisher: KafkaPublisher;
}

export async function acquireLoadKey(
  admin: Admin,
  connection: BrokerConnection,
  epoch: number,
): Promise<LoadWriter> {
  for (;;) {
    const key = drawKey(await readSourceTexts(admin, epoch));
    const publisher = await KafkaPublisher.open({ connection, instance: key });
    try {
      // Another load may have taken the key between the check and the opening.
      const isFree = !(await readSourceTexts(admin, epoch)).has(key);
      if (isFree && (await hasAcquired(publisher))) return { key, publisher };
    } catch (error) {
      await publisher.close();
      throw error;
    }
    await publisher.close();
  }
}

function drawKey(taken: ReadonlyMap<string, unknown>): string {
  const keys = Array.from({ length: MAX_LOADS }, (_, index) => loadKey(index + 1));
  const free = keys.filter((key) => !taken.has(key));
  const key = free[randomInt(Math.max(1, free.length))];
  if (key !== undefined) return key;
  throw new UserError(
    `This epoch of the topics has ${MAX_LOADS} loads, the maximum`,
    "run pipeline data without --no-reset to start a new epoch",
  );
}

async function hasAcquired(publisher: KafkaPublisher): Promise<boolean> {
  const manifest: SourceRecord = { kind: "load", statement: emptyStatement(), isFinal: false };
  try {
    await publisher.publishBatch(emptyBatch(), { manifest });
    return true;
  } catch (error) {
    if (error instanceof FencedError) return false;
    throw error;
  }
}
