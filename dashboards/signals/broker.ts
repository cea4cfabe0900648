import { CONSUMER_GROUP, EVENT_TOPICS } from "../../contract/topics.ts";
import { metric, orZero, rate } from "../promql.ts";
import { signals } from "../signal.ts";
import { isDue } from "./generator.ts";

const NO_CONSUMER = "no consumer is connected, or no offset is committed yet";

const oneOf = (names: readonly string[]): string => names.join("|");

export const EVENT_MATCHER = `topic=~"${oneOf(EVENT_TOPICS)}"`;
/** Selector that excludes Kafka's internal topics. */
const ORDINARY = 'topic!~"__.*"';
const produced = (matcher: string): string =>
  metric("broker", "kafka_topic_partition_current_offset", matcher);
const active = `on (consumergroup) (${metric("broker", "kafka_consumergroup_members")} > 0)`;
/** Lag without partitions that lack a committed offset, whose lag is -1. */
const lag = `${metric("broker", "kafka_consumergroup_lag")} >= 0`;

/** Broker signals. `rate` treats the fall of a re-created topic's offset to 0 as a reset. */
export const broker = signals({
  brokersUp: {
    name: "Brokers up",
    meaning:
      "Brokers that answer, counted while the exporter can read offsets. At 0, run make logs SERVICE=kafka.",
    // The exporter keeps counting a broker that died, but has no offsets of it.
    expr: orZero(
      `sum(${metric("broker", "kafka_brokers")}) and on () (count(${produced("")}) > 0)`,
    ),
    legend: "brokers",
  },
  produced: {
    name: "Messages produced",
    meaning:
      "Growth of the event topics, including transaction markers. Shows whether events reach the broker.",
    unit: "ops",
    expr: `sum(${rate(produced(EVENT_MATCHER))})`,
    legend: "events",
  },
  producedWhileDue: {
    name: "Messages produced while batches are due",
    meaning:
      "Messages produced, without data while the generator is in standby, paused or finished.",
    unit: "ops",
    expr: `sum(${rate(produced(EVENT_MATCHER))}) and on () ${isDue}`,
    legend: "while due",
    emptyWhen: "the generator is in standby, paused or finished",
  },
  throughput: {
    name: "Throughput by topic",
    meaning:
      "Growth of every topic except Kafka's internal ones. A peak as high as a whole topic means that the topic was re-created.",
    unit: "ops",
    expr: `sum by (topic) (${rate(produced(ORDINARY))})`,
    legend: "{{topic}}",
  },
  consumed: {
    name: "Consumption by group",
    meaning:
      "Growth of the committed offsets. If the growth stays below the production rate, the consumer is too slow.",
    unit: "ops",
    expr: `sum by (consumergroup) (${rate(metric("broker", "kafka_consumergroup_current_offset"))})`,
    legend: "{{consumergroup}}",
    emptyWhen: NO_CONSUMER,
  },
  lag: {
    name: "Lag of active groups",
    meaning:
      "Messages that a connected group has yet to read. Shown only for active consumers with committed offsets; a missing group does not alert.",
    expr: `sum by (consumergroup, topic) (${lag}) and ${active}`,
    legend: "{{consumergroup}} · {{topic}}",
    emptyWhen: NO_CONSUMER,
  },
  members: {
    name: "Members of consumer groups",
    meaning: "Connected members. A group without members means that the database does not read.",
    expr: metric("broker", "kafka_consumergroup_members", `consumergroup="${CONSUMER_GROUP}"`),
    legend: "{{consumergroup}}",
    emptyWhen: NO_CONSUMER,
  },
  retained: {
    name: "Messages kept",
    meaning: "Messages that the broker keeps, which consumers can read again.",
    expr: `sum by (topic) (${produced(ORDINARY)} - ${metric("broker", "kafka_topic_partition_oldest_offset", ORDINARY)})`,
    legend: "{{topic}}",
  },
  skew: {
    name: "Skew of partitions",
    meaning:
      "Largest partition of a topic divided by the mean. Far above 1, the keys are unevenly distributed.",
    expr: `max by (topic) (${produced(EVENT_MATCHER)}) / clamp_min(avg by (topic) (${produced(EVENT_MATCHER)}), 1)`,
    legend: "{{topic}}",
  },
  underReplicated: {
    name: "Under-replicated partitions",
    meaning: "Partitions with a missing replica. Always zero with one broker.",
    expr: `sum(${metric("broker", "kafka_topic_partition_under_replicated_partition")})`,
    legend: "partitions",
  },
  offline: {
    name: "Partitions without a leader",
    meaning:
      "Partitions that no client can write or read, because no broker with a replica leads them.",
    // kafka_exporter has no leader series for such a partition.
    expr: `sum(${metric("broker", "kafka_topic_partitions")}) - (${orZero(`count(${metric("broker", "kafka_topic_partition_leader")} >= 0)`)})`,
    legend: "partitions",
  },
});
