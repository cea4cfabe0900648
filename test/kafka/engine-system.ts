import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { openBroker } from "../../kafka/client.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { connectionTo } from "./connection.ts";
import { type Consumer, openWholeConsumer } from "./consumer.ts";
import { emptyBroker } from "./shared-broker.ts";

/** A broker with empty topics, and a workspace whose Kafka engine reads them. */
export interface EngineSystem {
  readonly bootstrap: string;
  readonly admin: Admin;
  readonly db: Consumer;
  close(): Promise<void>;
}

export async function openEngineSystem(): Promise<EngineSystem> {
  const directory = mkdtempSync(join(tmpdir(), "test-kafka-engine-"));
  const { bootstrap } = await emptyBroker();
  const admin = await openBroker(connectionTo(bootstrap), "test");
  const db = await openWholeConsumer(directory, connectionTo(bootstrap));
  await ensureTopics(admin, { database: db });
  const close = async () => {
    await db.close();
    await admin.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { bootstrap, admin, db, close };
}
