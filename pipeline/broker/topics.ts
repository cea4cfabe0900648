import { setTimeout as sleep } from "node:timers/promises";
import {
  type Admin,
  ConfigResourceTypes,
  IncrementalAlterConfigOperationTypes,
} from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { TopicSpec } from "../../contract/topics.ts";
import { protocolErrors } from "../../generator/adapters/kafka-client.ts";

export interface TopicDifference {
  readonly topic: string;
  /** What differs, e.g. `retention.ms is 1000, declared 604800000`. */
  readonly what: string;
  /** Command that cures it. */
  readonly cure: string;
}

const APPLY = "make topics (pipeline topics)";
const SETTLED_WITHIN_MS = 30_000;
const RETRY_MS = 50;
const RECREATE = "pipeline topics --reset (starts a new epoch; the broker's messages go)";

/** Compares the live topics with their specifications; empty: all is as declared. */
export async function verifyTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<TopicDifference[]> {
  const present = await presentTopics(admin, specs);
  const missing = specs
    .filter(({ name }) => !present.has(name))
    .map(({ name }) => ({ topic: name, what: "missing", cure: APPLY }));
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
      cure: APPLY,
    })),
  ];
}

export interface TopicChanges {
  readonly created: readonly string[];
  /** Topics of which settings were put right. */
  readonly altered: readonly string[];
}

/** Creates what is missing and puts settings right; never touches messages. */
export async function createTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<TopicChanges> {
  const present = await presentTopics(admin, specs);
  const missing = specs.filter(({ name }) => !present.has(name));
  const created: string[] = [];
  for (const spec of missing) if (await createTopic(admin, spec)) created.push(spec.name);
  await untilServed(admin, created);
  const existing = specs.filter(({ name }) => present.has(name));
  const altered = await alterSettings(admin, await settingDifferences(admin, existing));
  return { created, altered };
}

/**
 * Deletes what exists of `names` and waits until the cluster knows nothing of it.
 * @throws UserError when that takes longer than half a minute
 */
export async function deleteTopics(admin: Admin, names: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; ; await sleep(RETRY_MS)) {
    const doomed = (await admin.listTopics()).filter((name) => names.includes(name));
    if (doomed.length === 0) break;
    if (Date.now() > deadline) {
      throw new UserError(`Kafka did not delete the topics ${doomed.join(", ")}`);
    }
    await Promise.all(doomed.map((name) => deleteTopic(admin, name)));
  }
  admin.clearMetadata();
}

/** A broker may still list a topic that the cluster has deleted. */
async function deleteTopic(admin: Admin, name: string): Promise<void> {
  try {
    await admin.deleteTopics({ topics: [name] });
  } catch (error) {
    if (!protocolErrors(error).includes("UNKNOWN_TOPIC_OR_PARTITION")) throw error;
  }
}

/** A topic is created before its brokers know it. */
async function untilServed(admin: Admin, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; ; await sleep(RETRY_MS)) {
    if (await areServed(admin, topics)) return;
    if (Date.now() > deadline) {
      throw new UserError(`Kafka has no leader for all partitions of ${topics.join(", ")}`);
    }
  }
}

async function areServed(admin: Admin, topics: readonly string[]): Promise<boolean> {
  const present = new Set(await admin.listTopics());
  if (!topics.every((name) => present.has(name))) return false;
  const metadata = await admin.metadata({ topics: [...topics], forceUpdate: true });
  const partitions = [...metadata.topics.values()].flatMap((topic) => topic.partitions);
  return partitions.every(({ leader }) => leader >= 0);
}

/** False when somebody else was faster. */
async function createTopic(admin: Admin, spec: TopicSpec): Promise<boolean> {
  try {
    await admin.createTopics({
      topics: [spec.name],
      partitions: spec.partitions,
      replicas: spec.replicas,
      configs: Object.entries(spec.configs).map(([name, value]) => ({ name, value })),
    });
    return true;
  } catch (error) {
    if (protocolErrors(error).includes("TOPIC_ALREADY_EXISTS")) return false;
    throw error;
  }
}

async function presentTopics(admin: Admin, specs: readonly TopicSpec[]): Promise<Set<string>> {
  const names = new Set(specs.map(({ name }) => name));
  return new Set((await admin.listTopics()).filter((name) => names.has(name)));
}

async function shapeDifferences(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<TopicDifference[]> {
  const topics = specs.map(({ name }) => name);
  const metadata = await admin.metadata({ topics, forceUpdate: true });
  return specs.flatMap(({ name, partitions, replicas }) => {
    const live = metadata.topics.get(name)?.partitions ?? [];
    const copies = live[0]?.replicas.length ?? 0;
    const wrong = [
      live.length === partitions ? "" : `${live.length} partitions, declared ${partitions}`,
      copies === replicas ? "" : `${copies} replicas, declared ${replicas}`,
    ].filter((what) => what !== "");
    return wrong.map((what) => ({ topic: name, what, cure: RECREATE }));
  });
}

interface SettingDifference {
  readonly topic: string;
  readonly key: string;
  readonly live: string;
  readonly declared: string;
}

async function settingDifferences(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<SettingDifference[]> {
  if (specs.length === 0) return [];
  const described = await admin.describeConfigs({
    resources: specs.map(({ name, configs }) => ({
      resourceType: ConfigResourceTypes.TOPIC,
      resourceName: name,
      configurationKeys: Object.keys(configs),
    })),
  });
  return specs.flatMap(({ name, configs }) => {
    const live = described.find(({ resourceName }) => resourceName === name)?.configs ?? [];
    return Object.entries(configs)
      .map(([key, declared]) => ({
        topic: name,
        key,
        live: live.find((entry) => entry.name === key)?.value ?? "unset",
        declared,
      }))
      .filter((setting) => setting.live !== setting.declared);
  });
}

async function alterSettings(
  admin: Admin,
  differences: readonly SettingDifference[],
): Promise<string[]> {
  const topics = [...new Set(differences.map(({ topic }) => topic))];
  if (topics.length === 0) return [];
  await admin.incrementalAlterConfigs({
    resources: topics.map((resourceName) => ({
      resourceType: ConfigResourceTypes.TOPIC,
      resourceName,
      configs: differences
        .filter(({ topic }) => topic === resourceName)
        .map(({ key, declared }) => ({
          name: key,
          value: declared,
          configOperation: IncrementalAlterConfigOperationTypes.SET,
        })),
    })),
  });
  return topics;
}
