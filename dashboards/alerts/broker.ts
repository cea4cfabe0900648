import { pipelineMetrics } from "../../contract/metrics.ts";
import { CONSUMER_GROUPS, EVENT_TOPICS } from "../../contract/topics.ts";
import { broker } from "../signals/broker.ts";
import { pipeline } from "../signals/pipeline.ts";
import { thresholds } from "../thresholds.ts";
import { DASHBOARD_UIDS } from "../uids.ts";
import { feed, sample } from "./feed.ts";
import { type AlertRule, label } from "./rule.ts";

const common = {
  group: "broker",
  noData: "ok",
  dashboard: DASHBOARD_UIDS.broker,
  isSpecified: true,
} as const;
const [topic = ""] = EVENT_TOPICS;
const [consumergroup = ""] = CONSUMER_GROUPS;

/** There is no rule for a missing consumer group: it is noise in every demo. */
export const brokerRules: readonly AlertRule[] = [
  {
    ...common,
    name: "BrokerDown",
    severity: "critical",
    signal: broker.brokersUp,
    fires: { when: "below", threshold: thresholds.brokersUp },
    for: "1m",
    // An exporter that cannot ask, or is gone itself, says nothing.
    noData: "alert",
    summary: (value) => `${value} brokers answer`,
    about:
      "No broker answers, or its exporter is gone. The generator keeps what it could not send and sends it later.",
    hint: "`make ps` and `make logs SERVICE=broker` say why; `make up` starts what does not run.",
    drill: { kind: "stop", service: "broker" },
  },
  {
    ...common,
    name: "BrokerConsumerLagHigh",
    severity: "warning",
    signal: broker.lag,
    fires: { when: "above", threshold: thresholds.consumerLag },
    for: "5m",
    summary: (value) =>
      `The group ${label("consumergroup")} is ${value} messages behind in ${label("topic")}`,
    about:
      "A connected group is behind. After a load it falls by itself; else the consumer is too slow: *Consumption by group*, and the database's processor.",
    hint: "`SELECT * FROM system.kafka_consumers` shows what the database reads and its last exception.",
    drill: feed(
      "broker",
      sample("broker", "kafka_consumergroup_members", 1, { consumergroup: "drill" }),
      sample("broker", "kafka_consumergroup_lag", 50_000, {
        consumergroup: "drill",
        topic,
        partition: "0",
      }),
    ),
  },
  {
    ...common,
    name: "BrokerNoMessagesProduced",
    severity: "critical",
    signal: broker.producedWhileDue,
    fires: { when: "below", threshold: thresholds.producedPerSecond },
    for: "10m",
    summary: (value) =>
      `${value} messages per second reach the event topics though the generator should publish`,
    about:
      "The event topics stand still though batches are due, or were when the generator last answered.",
    hint: "`pipeline generator status` says whether it is refused, failed or waiting; `make logs SERVICE=generator` says why.",
    drill: { kind: "stop", service: "generator" },
  },
  {
    ...common,
    name: "BrokerMessagesStuck",
    severity: "critical",
    signal: pipeline.stuck,
    fires: { when: "above", threshold: thresholds.stuckMessages },
    for: "10m",
    summary: (value) =>
      `${value} messages are in the broker and not in stg (group ${consumergroup} and its like)`,
    dashboard: DASHBOARD_UIDS.pipeline,
    about:
      "Messages in the broker that `stg` has not, whether or not a consumer is connected and whether or not `stg` has ever held one.",
    hint: "`SELECT * FROM system.kafka_consumers` holds the exception; where tables are detached after a reset that was cut off, `make topics` puts them right.",
    drill: feed(
      "broker",
      sample("broker", "kafka_topic_partition_current_offset", 1e6, { topic, partition: "drill" }),
      sample("pipeline", pipelineMetrics.nextOffset, 0, { topic, partition: "drill" }),
    ),
    isSpecified: false,
  },
];
