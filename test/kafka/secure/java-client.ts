import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { kafkaUiSettings } from "../../../components/kafka-ui/index.ts";
import type { BrokerConnection } from "../../../contract/broker.ts";
import { javaArguments, type TestBroker } from "../broker.ts";

/** Properties of Kafka's Java client that the stack writes for Kafka UI. */
export function uiProperties(connection: BrokerConnection): Record<string, string> {
  const text = kafkaUiSettings("test", connection);
  const { properties } = parse(text).kafka.clusters[0];
  return { ...properties, "bootstrap.servers": connection.bootstrap.join(",") };
}

/** Lists the topics as Kafka's own client does. @throws Error with its output */
export function listTopics(
  { directory }: TestBroker,
  properties: Readonly<Record<string, string>>,
): string[] {
  // A properties file reads a backslash as an escape, and ends a value at a line break.
  const escaped = (value: string) =>
    value.replaceAll("\\", "\\\\").replaceAll("\r", "\\r").replaceAll("\n", "\\n");
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${escaped(value)}`);
  writeFileSync(join(directory, "client.properties"), lines.join("\n"));
  const server = ["--bootstrap-server", properties["bootstrap.servers"] ?? ""];
  const tool = ["org.apache.kafka.tools.TopicCommand", "--list", ...server];
  const { status, stdout, stderr } = spawnSync(
    "java",
    [...javaArguments(directory), ...tool, "--command-config", "client.properties"],
    { cwd: directory, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout.split("\n").filter((line) => /^[a-z_]+$/.test(line));
}
