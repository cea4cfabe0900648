import { inject } from "vitest";
import { CONSUMER_GROUPS } from "../../contract/topics.ts";
import { openBroker } from "../../kafka/client.ts";
import { deleteGroups } from "../../kafka/consumer-groups.ts";
import { deleteTopics } from "../../kafka/topics.ts";
import { connectionTo } from "./connection.ts";

/** The broker of the run (setup.ts). A file that stops or configures its broker starts its own. */
export interface SharedBroker {
  readonly bootstrap: string;
}

/** The broker of the run without the topics and groups of the file before. */
export async function emptyBroker(): Promise<SharedBroker> {
  const bootstrap = inject("broker");
  const admin = await openBroker(connectionTo(bootstrap), "empty-broker");
  await deleteGroups(admin, CONSUMER_GROUPS);
  await deleteTopics(admin, await admin.listTopics());
  await admin.close();
  return { bootstrap };
}
