import { CONSUMER_GROUPS, EVENT_TOPICS } from "../../contract/topics.ts";
import { metric, orZero, rate } from "../promql.ts";
import { signals } from "../signal.ts";
import { isDue } from "./generator.ts";

const NO_CONSUMER = "no consumer is connected, or none has committed yet";

/** Names of one kind, anchored: nothing that merely begins alike. */
const oneOf = (names: readonly string[]): string => names.join("|");

export const EVENT_MATCHER = `topic=~"${oneOf(EVENT_TOPICS)}"`;
/** Kafka's own topics begin with two underscores. */
const ORDINARY = 'topic!~"__.*"';
const produced = (matcher: string): string =>
  metric("broker", "kafka_topic_partition_current_offset", matcher);
const active = `on (consumergroup) (${metric("broker", "kafka_consumergroup_members")} > 0)`;
/** A partition without a committed offset says -1. */
const lag = `${metric("broker", "kafka_consumergroup_lag")} >= 0`;

/** Offsets are gauges; a recreated topic falls to 0, which `rate` takes for a counter's reset. */
export const broker = signals({
  brokersUp: {
    name: "Brokers up",
    meaning:
      "Brokers that answer. The exporter remembers brokers that are gone, so it counts only while offsets can be read. None, or no exporter: make logs SERVICE=broker.",
    unit: "short",
    type: "level",
    expr: orZero(
      `sum(${metric("broker", "kafka_brokers")}) and on () (count(${produced("")}) > 0)`,
    ),
    legend: "brokers",
  },
  produced: {
    name: "Messages produced",
    meaning:
      "Growth of the event topics, the markers of transactions included: whether events flow into the broker at all.",
    unit: "ops",
    type: "rate",
    expr: `sum(${rate(produced(EVENT_MATCHER))})`,
    legend: "events",
  },
  producedWhileDue: {
    name: "Messages produced while batches are due",
    meaning:
      "The same, silent where the generator stands still on purpose: standing by, paused, finished.",
    unit: "ops",
    type: "rate",
    expr: `sum(${rate(produced(EVENT_MATCHER))}) and on () ${isDue}`,
    legend: "while due",
    emptyWhen: "the generator stands still on purpose",
  },
  throughput: {
    name: "Throughput by topic",
    meaning:
      "Growth of every topic, Kafka's own ones left out. A peak to the height of a whole topic is its recreation.",
    unit: "ops",
    type: "rate",
    expr: `sum by (topic) (${rate(produced(ORDINARY))})`,
    legend: "{{topic}}",
  },
  consumed: {
    name: "Consumption by group",
    meaning:
      "Growth of the committed offsets. Below the production for long: the consumer is too slow.",
    unit: "ops",
    type: "rate",
    expr: `sum by (consumergroup) (${rate(metric("broker", "kafka_consumergroup_current_offset"))})`,
    legend: "{{consumergroup}}",
    emptyWhen: NO_CONSUMER,
  },
  lag: {
    name: "Lag of active groups",
    meaning:
      "Messages a connected group has still to read. Shown only while active consumers with committed offsets exist; a missing group is no alert.",
    unit: "short",
    type: "level",
    expr: `sum by (consumergroup, topic) (${lag}) and ${active}`,
    legend: "{{consumergroup}} · {{topic}}",
    emptyWhen: NO_CONSUMER,
  },
  members: {
    name: "Members of consumer groups",
    meaning: "Connected members. A stg group with none means that the database does not read.",
    unit: "short",
    type: "level",
    expr: metric(
      "broker",
      "kafka_consumergroup_members",
      `consumergroup=~"${oneOf(CONSUMER_GROUPS)}"`,
    ),
    legend: "{{consumergroup}}",
    emptyWhen: NO_CONSUMER,
  },
  retained: {
    name: "Messages kept",
    meaning: "Messages between the oldest and the newest offset: what could still be read again.",
    unit: "short",
    type: "level",
    expr: `sum by (topic) (${produced(ORDINARY)} - ${metric("broker", "kafka_topic_partition_oldest_offset", ORDINARY)})`,
    legend: "{{topic}}",
  },
  skew: {
    name: "Skew of partitions",
    meaning: "Largest partition of a topic against the mean. Far above 1: the keys are not spread.",
    unit: "short",
    type: "level",
    expr: `max by (topic) (${produced(EVENT_MATCHER)}) / clamp_min(avg by (topic) (${produced(EVENT_MATCHER)}), 1)`,
    legend: "{{topic}}",
  },
  underReplicated: {
    name: "Under-replicated partitions",
    meaning: "Partitions with a copy missing. With one broker always zero.",
    unit: "short",
    type: "level",
    expr: `sum(${metric("broker", "kafka_topic_partition_under_replicated_partition")})`,
    legend: "partitions",
  },
});
