/**
 * Starts a Kafka with TLS of a CA of its own, SCRAM and access control lists on this machine, and a
 * stack with plain `pulumi up` that uses it (`kafka.mode: external`). Checks that each wrong setting
 * fails with its error, then topics, epoch, generator, exporter, the database's reading, marts and
 * the reconciliation. The database reads with PLAIN, because the offline image has no SCRAM; then the
 * service `ingest` replaces it, with SCRAM. Needs what the levels kafka and stack need. Usage:
 * node test/stack/own-broker.ts. Prints one line per step, exits with 1 at the first failure, removes
 * everything.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { topicSpecs } from "../../contract/topics.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { BROKER_RIGHTS } from "../../kafka/rights.ts";
import { environmentOf } from "../kafka/connection.ts";
import { waitFor } from "../kafka/harness.ts";
import { PASSWORD, SecureBroker } from "../kafka/secure/broker.ts";
import { makeCertificates } from "../kafka/secure/certificates.ts";
import { PlainStack, run } from "./plain-pulumi.ts";
import { pipeline, query, stepLog, textAt } from "./stack-client.ts";

const STACK = "own-broker";
const EXPORTER = "http://127.0.0.1:34308/metrics";

const step = stepLog();

/** @throws Error unless `pulumi up` fails with the message */
function refuse(message: RegExp): void {
  assert.throws(() => stack.up(), message);
  step(`pulumi up failed with ${message}`);
}

/** Sets a PEM text. The line break keeps the command line from reading its dashes as an option. */
const setCa = (ca: string): void => stack.set("kafka.security.ca", `\n${ca}`);

const metric = async (url: string, line: RegExp): Promise<boolean> => line.test(await textAt(url));

async function runPipeline(command: string): Promise<void> {
  step(`pipeline ${command}: ${await pipeline(stack, [command], environmentOf(connection))}`);
}

// The address of this machine for containers is one of this machine, too.
const inspect = ["network", "inspect", "bridge", "--format"];
const gateway = run("docker", [...inspect, "{{(index .IPAM.Config 0).Gateway}}"]).trim();
const directory = mkdtempSync(join(tmpdir(), "own-broker-"));
const broker = await SecureBroker.start(gateway);
const connection = await broker.addUser("pipeline");
await broker.addUser(
  "reader",
  BROKER_RIGHTS.filter(({ operation }) => operation !== "WRITE"),
);
const stack = PlainStack.create(STACK, readFileSync("test/stack/own-broker.yaml", "utf8"));
try {
  stack.set("kafka.mode", "external");
  stack.set("kafka.bootstrap", connection.bootstrap.join());
  stack.set("kafka.security.mechanism", "SCRAM-SHA-512");
  stack.set("kafka.security.username", "reader");
  stack.setSecret("kafkaPassword", "wrong");
  setCa(makeCertificates(directory, `IP:${gateway}`).ca);
  refuse(/The certificate of Kafka at \S+ is not trusted/);
  setCa(broker.ca);
  refuse(/Kafka at \S+ rejected the user reader \(SCRAM-SHA-512\)/);
  stack.setSecret("kafkaPassword", PASSWORD);
  refuse(/Kafka at \S+ denies rights to the user reader: WRITE on the transactional id/);

  stack.set("kafka.security.username", "pipeline");
  stack.up();
  const topics = new Set(await broker.admin.listTopics());
  assert.deepEqual(
    topicSpecs().filter(({ name }) => !topics.has(name)),
    [],
  );
  step(`pulumi up: ${topics.size} topics, epoch ${(await readEpoch(broker.admin))?.epoch}`);
  const { client } = stack.outputs();
  const events = /^generator_events_total\{.*\} [1-9]/m;
  await waitFor("the generator publishes", () => metric(`${client.GENERATOR_URL}/metrics`, events));
  const offsets = /^kafka_topic_partition_current_offset\{topic="browser_events",.*\} [1-9]/m;
  await waitFor("the exporter shows messages", () => metric(EXPORTER, offsets));
  step("the generator publishes and the exporter shows it, with SCRAM");

  stack.set("kafka.security.mechanism", "PLAIN");
  stack.up();
  stack.expectNoChange();
  const stored = async () => Number(await query(stack, "SELECT count() FROM stg.raw"));
  await waitFor("the database reads", async () => (await stored()) > 0);
  const group = /^kafka_consumergroup_members\{consumergroup="stg_raw"\} 2$/m;
  await waitFor("the exporter shows the readers", () => metric(EXPORTER, group));
  step("the database reads through the named collection, the exporter shows its group");

  stack.set("kafka.security.mechanism", "SCRAM-SHA-512");
  stack.set("clickhouse.ingest", "service");
  stack.up();
  stack.expectNoChange();
  const before = await stored();
  await waitFor("the service stores", async () => (await stored()) > before);
  step("pipeline ingest has replaced the Kafka engine, with SCRAM");

  stack.set("generator.enabled", "false");
  stack.up();
  await runPipeline("transform");
  await runPipeline("prove");
  const marts = Number(await query(stack, "SELECT count() FROM dm.v_events_enriched"));
  assert.ok(marts > 0, "the marts are empty");
  step(`${marts} events in the marts`);
} finally {
  stack.destroy();
  await broker.stop();
  rmSync(directory, { recursive: true, force: true });
}
assert.deepEqual(stack.containers(), {});
step("removed");
