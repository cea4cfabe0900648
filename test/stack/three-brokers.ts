/**
 * Starts a stack with three brokers by plain `pulumi up`, while a generator publishes. Kills, stops
 * and starts each broker in turn; messages keep being written and stored, and `prove` accounts for every one. Then checks
 * that one broker instead of three is refused. Needs what the level stack needs. Usage:
 * node test/stack/three-brokers.ts [ROUNDS]. Prints one line per step, exits with 1 at the first
 * failure, removes everything.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { topicSpecs } from "../../contract/topics.ts";
import { waitFor } from "../kafka/harness.ts";
import { PlainStack, run } from "./plain-pulumi.ts";
import { pipeline, query, stepLog, textAt } from "./stack-client.ts";

const STACK = "three-brokers";
const NODES = ["kafka", "kafka-2", "kafka-3"].map((alias) => `event-pipeline-${STACK}-${alias}`);
const EXPORTER = "http://127.0.0.1:35308/metrics";
const WITHIN_MS = 240_000;
const [rounds = "1"] = process.argv.slice(2);

const step = stepLog();

const underReplicated = (metrics: string): number =>
  [...metrics.matchAll(/^kafka_topic_partition_under_replicated_partition\{.*\} 1$/gm)].length;

/** Waits until three brokers answer and every replica is in sync. */
const waitForInSync = (): Promise<unknown> =>
  waitFor(
    "every replica is in sync",
    async () => {
      const metrics = await textAt(EXPORTER);
      return /^kafka_brokers 3$/m.test(metrics) && underReplicated(metrics) === 0;
    },
    WITHIN_MS,
  );

/** A write needs two replicas in sync, so that one broker may be down. */
const MIN_IN_SYNC = "min\\.insync\\.replicas=2\\b";
const INTERNAL = ["__consumer_offsets", "__transaction_state"];

/** Output of `kafka-topics.sh --describe`, which the offline image has as a class only. */
const describeTopics = (): string =>
  run("docker", [
    ...["exec", NODES[0] ?? "", "java", "-cp", "/opt/kafka/libs/*"],
    ...["org.apache.kafka.tools.TopicCommand", "--bootstrap-server", "kafka:29092", "--describe"],
  ]);

/** Rows that the database has of one stream. */
const stored = async (): Promise<number> =>
  Number(await query(stack, "SELECT count() FROM stg.raw"));

/** Waits until the replicas of a broker that is down are out of sync. */
const waitForUnderReplicated = (): Promise<unknown> =>
  waitFor(
    "the exporter shows under-replicated partitions",
    async () => underReplicated(await textAt(EXPORTER)) > 0,
    WITHIN_MS,
  );

/** Sum of the ends of one topic's partitions; 0 while the exporter does not answer. */
async function written(): Promise<number> {
  const line = /^kafka_topic_partition_current_offset\{.*topic="browser_events".*\} (\S+)$/gm;
  const ends = [...(await textAt(EXPORTER)).matchAll(line)].map(([, end]) => Number(end));
  return ends.reduce((sum, end) => sum + end, 0);
}

/** Waits until messages are written, and then until the database stores more of them. */
async function waitForMore(what: string): Promise<void> {
  let end = 0;
  const isKnown = async () => {
    end = await written();
    return end > 0;
  };
  await waitFor("the exporter knows the topic", isKnown, WITHIN_MS);
  await waitFor(`${what}: written`, async () => (await written()) > end, WITHIN_MS);
  const rows = await stored();
  await waitFor(`${what}: stored`, async () => (await stored()) > rows, WITHIN_MS);
}

const stack = PlainStack.create(STACK, readFileSync("test/stack/three-brokers.yaml", "utf8"));
try {
  stack.up();
  const topics = describeTopics();
  const names = [...topicSpecs().map(({ name }) => name), ...INTERNAL];
  for (const name of names) {
    assert.match(topics, new RegExp(`Topic: ${name}\\s.*ReplicationFactor: 3\\s.*${MIN_IN_SYNC}`));
  }
  stack.expectNoChange();
  step(`pulumi up: ${names.length} topics with three replicas`);
  for (let round = 1; round <= Number(rounds); round += 1) {
    for (const node of NODES) {
      for (const [verb, command] of [
        ["killed", ["kill", node]],
        ["stopped", ["stop", node]],
      ] as const) {
        await waitForInSync();
        run("docker", [...command]);
        await waitForMore(`messages arrive while ${node} is ${verb}`);
        await waitForUnderReplicated();
        await waitForMore(`messages arrive with two replicas in sync while ${node} is ${verb}`);
        run("docker", ["start", node]);
        step(`${node} ${verb}: more messages were written and stored`);
      }
    }
  }
  await waitForInSync();
  stack.set("generator.enabled", "false");
  stack.up();
  await sleep(1_000);
  await pipeline(stack, ["transform"]);
  step(await pipeline(stack, ["prove"]));
  stack.set("protectData", "true");
  stack.up();
  stack.set("kafka.nodes", "1");
  // `pulumi up` shows this preview first.
  assert.throws(() => stack.expectNoChange(), /would delete .*kafka-replicated-data/);
  step("one broker instead of three is refused");
} finally {
  stack.destroy();
}
assert.deepEqual(stack.containers(), {});
step("removed");
