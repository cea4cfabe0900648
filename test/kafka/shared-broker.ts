import { inject } from "vitest";
import { CONSUMER_GROUP } from "../../contract/topics.ts";
import { openBroker } from "../../kafka/client.ts";
import { deleteGroup } from "../../kafka/consumer-groups.ts";
import { deleteTopics } from "../../kafka/topics.ts";
import { connectionTo } from "./connection.ts";

/**
 * Address of the broker of the run (setup.ts), without the topics and the group of the file before.
 * A file that stops or configures its broker starts its own.
 */
export async function emptyBroker(): Promise<string> {
  const bootstrap = inject("broker");
  const admin = await openBroker(connectionTo(bootstrap), "empty-broker");
  await deleteGroup(admin, CONSUMER_GROUP);
  await deleteTopics(admin, await admin.listTopics());
  await admin.close();
  return bootstrap;
}
