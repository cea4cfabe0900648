import type { Admin } from "@platformatic/kafka";
import type { TopicSpec } from "../contract/topics.ts";
import { settingDifferences } from "./topic-settings.ts";
import { presentTopics } from "./topics.ts";

const APPLY = "run make topics (or pipeline topics)";
const RECREATE = "run pipeline topics --reset (starts a new epoch; deletes all messages)";

export interface TopicDifference {
  readonly topic: string;
  /** Difference, such as `retention.ms is 1000, declared 604800000`. */
  readonly what: string;
  readonly hint: string;
}

export async function verifyTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<TopicDifference[]> {
  const present = await presentTopics(admin, specs);
  const missing = specs
    .filter(({ name }) => !present.has(name))
    .map(({ name }) => ({ topic: name, what: "missing", hint: APPLY }));
  const existing = specs.filter(({ name }) => present.has(name));
  if (existing.length === 0) return missing;
  const shapes = await shapeDifferences(admin, existing);
  const settings = await settingDifferences(admin, existing);
  return [
    ...missing,
    ...shapes,
    ...settings.map(({ topic, key, live, declared }) => ({
      topic,
      what: `${key} is ${live}, declared ${declared}`,
      hint: APPLY,
    })),
  ];
}

async function shapeDifferences(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<TopicDifference[]> {
  const topics = specs.map(({ name }) => name);
  const metadata = await admin.metadata({ topics, forceUpdate: true });
  return specs.flatMap(({ name, partitions }) => {
    const live = metadata.topics.get(name)?.partitions.length ?? 0;
    const what = `${live} partitions, declared ${partitions}`;
    return live === partitions ? [] : [{ topic: name, what, hint: RECREATE }];
  });
}
