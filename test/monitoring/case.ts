import { collectorMetrics, generatorMetrics, pipelineMetrics } from "../../contract/metrics.ts";
import { CONSUMER_GROUP, EVENT_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";

/** A series and its values in promtool's short form, one every 15 seconds for an hour. */
export interface Series {
  readonly series: string;
  readonly values: string;
}

export interface RuleCase {
  readonly rule: string;
  /** Expected number of firing instances; 0: the rule must not fire. */
  readonly firing: number;
  readonly about: string;
  readonly input: readonly Series[];
  /** Time of the check, minutes after the series begin. */
  readonly atMinute?: number;
}

export const STEPS = 240;
export const STEP_SECONDS = 15;

export const held = (series: string, value: number): Series => ({
  series,
  values: `${value}x${STEPS}`,
});
export const growing = (series: string, perSecond: number, from = 0): Series => ({
  series,
  values: `${from}${perSecond < 0 ? "-" : "+"}${Math.abs(perSecond) * STEP_SECONDS}x${STEPS}`,
});
export const series = (job: string, name: string, labels = ""): string =>
  `${name}{job="${job}",instance="one"${labels && `,${labels}`}}`;
export const database = (name: string) => series("database", `ClickHouse${name}`);
export const airflow = (name: string) => series("scheduler", `airflow_${name}`);
export const generator = (name: keyof typeof generatorMetrics, labels = "") =>
  series("generator", generatorMetrics[name], labels);
export const collector = (name: keyof typeof collectorMetrics, labels = "") =>
  series("collector", collectorMetrics[name], labels);
export const pipeline = (name: keyof typeof pipelineMetrics, labels = "") =>
  series("pipeline", pipelineMetrics[name], labels);
export const topic = `topic="${EVENT_TOPICS[0]}"`;
export const offset = series(
  "broker",
  "kafka_topic_partition_current_offset",
  `${topic},partition="0"`,
);
export const stateOffset = series(
  "broker",
  "kafka_topic_partition_current_offset",
  `topic="${STATE_TOPIC}",partition="0"`,
);
/** Prometheus has scraped from the start. */
export const watching = held(series("prometheus", "process_start_time_seconds"), 1);
const group = `consumergroup="${CONSUMER_GROUP}"`;
export const lag = series("broker", "kafka_consumergroup_lag", `${group},${topic},partition="0"`);
export const members = series("broker", "kafka_consumergroup_members", group);
export const brokers = series("broker", "kafka_brokers");
export const partitions = series("broker", "kafka_topic_partitions", topic);
export const leader = (partition: number) =>
  series("broker", "kafka_topic_partition_leader", `${topic},partition="${partition}"`);
export const underReplicated = (partition: number) =>
  series(
    "broker",
    "kafka_topic_partition_under_replicated_partition",
    `${topic},partition="${partition}"`,
  );

export const on = (rule: string, about: string, ...input: Series[]): RuleCase => ({
  rule,
  firing: 1,
  about,
  input,
});
export const off = (rule: string, about: string, ...input: Series[]): RuleCase => ({
  rule,
  firing: 0,
  about,
  input,
});

/** A gauge on both sides of its threshold, which the case states as a number. */
export const around = (rule: string, name: string, threshold: number): RuleCase[] => [
  on(rule, "above its threshold", held(name, threshold + 1)),
  off(rule, "at its threshold", held(name, threshold)),
];

/** A counter that grows, and one that stays at an earlier value. */
export const counting = (rule: string, name: string): RuleCase[] => [
  on(rule, "a counter that grows", growing(name, 1)),
  off(rule, "a counter that does not grow", held(name, 7)),
];
