import { CONSUMER_GROUP } from "../../contract/topics.ts";
import { broker } from "../signals/broker.ts";
import { pipeline } from "../signals/pipeline.ts";
import { thresholds } from "../thresholds.ts";
import { DASHBOARD_UIDS } from "../uids.ts";
import { label, rulesOf } from "./rule.ts";

/** Broker rules. A rule for missing consumer groups would fire in every demo. */
export const brokerRules = rulesOf("broker", [
  {
    name: "BrokerDown",
    severity: "critical",
    signal: broker.brokersUp,
    fires: { when: "below", threshold: thresholds.brokersUp },
    for: "1m",
    // Missing data alerts: an exporter that is down or cannot reach the broker returns none.
    noData: "alert",
    summary: (value) => `${value} brokers answer`,
    about:
      "No broker answers, or its exporter is down. The generator retries its current batch and pauses model time.",
    hint: "`make ps` and `make logs SERVICE=kafka` show the reason; `make up` starts stopped services.",
    drill: { kind: "stop", service: "broker" },
  },
  {
    name: "BrokerConsumerLagHigh",
    severity: "warning",
    signal: broker.lag,
    fires: { when: "above", threshold: thresholds.consumerLag },
    for: "5m",
    summary: (value) =>
      `The group ${label("consumergroup")} is ${value} messages behind in ${label("topic")}`,
    about:
      "A connected group lags. After a load the lag decreases without action. If the lag remains, the consumer is too slow: see *Consumption by group* and *Processor* of the database.",
    hint: "`SELECT * FROM system.kafka_consumers` shows the consumers of the database and their last exceptions; with `ingest: service`, `make logs SERVICE=ingest` does.",
  },
  {
    name: "BrokerNoMessagesProduced",
    severity: "critical",
    signal: broker.producedWhileDue,
    fires: { when: "below", threshold: thresholds.producedPerSecond },
    for: "10m",
    summary: (value) =>
      `${value} messages per second reach the event topics while the generator should publish`,
    about:
      "The event topics do not grow although batches are due, or were due when the generator last answered.",
    hint: "`./pipeline stack run -- generator status` shows whether it is refused, failed or waiting; `make logs SERVICE=generator` shows the reason.",
    drill: { kind: "stop", service: "generator" },
  },
  {
    name: "BrokerMessagesStuck",
    severity: "critical",
    signal: pipeline.stuck,
    fires: { when: "above", threshold: thresholds.stuckMessages },
    for: "10m",
    summary: (value) =>
      `${value} messages are in the broker but not in stg (group ${CONSUMER_GROUP})`,
    dashboard: DASHBOARD_UIDS.pipeline,
    about:
      "Messages in the broker that are missing in `stg`, with or without a connected consumer, also while `stg` is empty.",
    hint: "`SELECT * FROM system.kafka_consumers` shows the exception; with `ingest: service`, `make logs SERVICE=ingest` does. If an interrupted reset left tables detached, `make topics` attaches them.",
  },
  {
    name: "BrokerUnderReplicated",
    severity: "warning",
    signal: broker.underReplicated,
    fires: { when: "above", threshold: thresholds.any },
    for: "5m",
    summary: (value) => `${value} partitions are under-replicated`,
    about:
      "A broker is down or does not follow. With three brokers the pipeline continues; without a second one writes stop.",
    hint: "`make ps` shows the broker that is down, `make logs SERVICE=kafka` (or `kafka-2`, `kafka-3`) why; `make up` starts stopped services.",
  },
  {
    name: "BrokerPartitionsOffline",
    severity: "critical",
    signal: broker.offline,
    seenIn: broker.underReplicated,
    fires: { when: "above", threshold: thresholds.any },
    for: "1m",
    summary: (value) => `${value} partitions have no leader`,
    about:
      "Every broker with a replica in sync is down, or the controllers have no majority to elect a leader. Messages are kept, but cannot be written or read. Without a controller *BrokerNoMessagesProduced* fires instead.",
    hint: "`make ps` shows the brokers that are down, `make logs SERVICE=kafka` (or `kafka-2`, `kafka-3`) why; `make up` starts stopped services.",
  },
]);
