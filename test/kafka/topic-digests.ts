import { createHash } from "node:crypto";
import type { Admin } from "@platformatic/kafka";
import { EVENT_TOPICS } from "../../contract/topics.ts";
import { readTopic } from "./harness.ts";

/** Count and order-independent digest of the payloads of every event topic. */
export async function topicDigests(admin: Admin): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const topic of EVENT_TOPICS) {
    const values = (await readTopic(admin, topic)).map(({ value }) => String(value)).sort();
    const digest = createHash("sha256").update(values.join("\n")).digest("hex");
    digests[topic] = `${values.length} ${digest}`;
  }
  return digests;
}
