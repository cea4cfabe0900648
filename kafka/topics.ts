import { setTimeout as sleep } from "node:timers/promises";
import {
  type Admin,
  ConfigResourceTypes,
  IncrementalAlterConfigOperationTypes,
} from "@platformatic/kafka";
import type { TopicSpec } from "../contract/topics.ts";
import { BrokerError, protocolErrors, TRANSIENT_HINT } from "./errors.ts";

const PROPAGATION_TIMEOUT_MS = 30_000;
const RETRY_MS = 50;

const APPLY = "run make topics (or pipeline topics)";
const RECREATE = "run pipeline topics --reset (starts a new epoch; deletes all messages)";

interface TopicChanges {
  readonly created: readonly string[];
  readonly altered: readonly string[];
}

/** Creates missing topics and applies settings; never deletes messages. */
export async function createTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<TopicChanges> {
  const present = await presentTopics(admin, specs);
  const missing = specs.filter(({ name }) => !present.has(name));
  const created: string[] = [];
  for (const spec of missing) if (await createTopic(admin, spec)) created.push(spec.name);
  // Includes topics that another process created at the same time.
  await waitForLeaders(
    admin,
    missing.map(({ name }) => name),
  );
  const existing = specs.filter(({ name }) => present.has(name));
  const altered = await alterSettings(admin, await settingDifferences(admin, existing));
  await waitForSettings(admin, existing, altered);
  return { created, altered };
}

/** Deletes topics and waits until no broker lists them. @throws UserError after 30 seconds */
export async function deleteTopics(admin: Admin, names: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + PROPAGATION_TIMEOUT_MS; ; await sleep(RETRY_MS)) {
    const remaining = (await admin.listTopics()).filter((name) => names.includes(name));
    if (remaining.length === 0) break;
    if (Date.now() > deadline) {
      throw new BrokerError(
        `Kafka did not delete the topics ${remaining.join(", ")} within ${PROPAGATION_TIMEOUT_MS / 1000} s`,
        TRANSIENT_HINT,
      );
    }
    await Promise.all(remaining.map((name) => deleteTopic(admin, name)));
  }
  admin.clearMetadata();
}

/** Deletes a topic; ignores a missing topic, because brokers list deleted topics for a while. */
async function deleteTopic(admin: Admin, name: string): Promise<void> {
  try {
    await admin.deleteTopics({ topics: [name] });
  } catch (error) {
    if (!protocolErrors(error).includes("UNKNOWN_TOPIC_OR_PARTITION")) throw error;
  }
}

/** Waits until `isSeen`, because brokers receive metadata with a delay. @throws BrokerError */
async function waitForMetadata(what: string, isSeen: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PROPAGATION_TIMEOUT_MS; ; await sleep(RETRY_MS)) {
    if (await isSeen()) return;
    if (Date.now() > deadline) {
      throw new BrokerError(
        `Kafka still has ${what} after ${PROPAGATION_TIMEOUT_MS / 1000} s`,
        TRANSIENT_HINT,
      );
    }
  }
}

async function waitForLeaders(admin: Admin, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  const what = `partitions without a leader in ${topics.join(", ")}`;
  await waitForMetadata(what, () => areServed(admin, topics));
}

async function waitForSettings(
  admin: Admin,
  specs: readonly TopicSpec[],
  topics: readonly string[],
) {
  if (topics.length === 0) return;
  const altered = specs.filter(({ name }) => topics.includes(name));
  await waitForMetadata(
    `previous settings of ${topics.join(", ")}`,
    async () => (await settingDifferences(admin, altered)).length === 0,
  );
}

async function areServed(admin: Admin, topics: readonly string[]): Promise<boolean> {
  const present = new Set(await admin.listTopics());
  if (!topics.every((name) => present.has(name))) return false;
  const metadata = await admin.metadata({ topics: [...topics], forceUpdate: true });
  const partitions = [...metadata.topics.values()].flatMap((topic) => topic.partitions);
  return partitions.every(({ leader }) => leader >= 0);
}

async function createTopic(admin: Admin, spec: TopicSpec): Promise<boolean> {
  try {
    await admin.createTopics({
      topics: [spec.name],
      partitions: spec.partitions,
      // The broker's default.replication.factor (KIP-464).
      replicas: -1,
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

/** Changes settings. @returns the changed topics */
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

interface TopicDifference {
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
