import { thresholds } from "../../dashboards/thresholds.ts";
import {
  airflow,
  around,
  brokers,
  collector,
  counting,
  database,
  generator,
  growing,
  held,
  lag,
  leader,
  members,
  off,
  offset,
  on,
  partitions,
  pipeline,
  type RuleCase,
  STEPS,
  series,
  stateOffset,
  topic,
  underReplicated,
  watching,
} from "./case.ts";
import { lateCases } from "./late-cases.ts";

const databaseCases: RuleCase[] = [
  ...counting("DatabaseFailedQueries", database("ProfileEvents_FailedQuery")),
  ...[90, 80].map((value) =>
    (value > 85 ? on : off)(
      "DatabaseMemoryResidentHigh",
      `${value} % of the machine`,
      held(database("AsyncMetrics_MemoryResident"), value),
      held(database("AsyncMetrics_OSMemoryTotal"), 100),
    ),
  ),
  ...around("DatabasePartsActiveHigh", database("Metrics_PartsActive"), 500),
  ...around(
    "DatabasePartsPerPartitionHigh",
    database("AsyncMetrics_MaxPartCountForPartition"),
    100,
  ),
  ...[1, 0].map((perSecond) =>
    (perSecond > 0 ? on : off)(
      "DatabaseInsertsRejected",
      `${perSecond} delayed inserts per second`,
      held(database("ProfileEvents_RejectedInserts"), 4),
      growing(database("ProfileEvents_DelayedInserts"), perSecond),
    ),
  ),
  ...counting("DatabaseKafkaCommitFailures", database("ProfileEvents_KafkaCommitFailures")),
  ...around("DatabaseSystemLogsGrowing", pipeline("systemLogBytes"), 2 * 1024 ** 3),
  on(
    "DatabaseDiskFullForeseen",
    "2 MB/s of 10 GB",
    growing(database("AsyncMetrics_DiskAvailable_default"), -2e6, 1e10),
  ),
  off(
    "DatabaseDiskFullForeseen",
    "no growth",
    held(database("AsyncMetrics_DiskAvailable_default"), 1e10),
  ),
  ...[9, 11].map((value) =>
    (value < 10 ? on : off)(
      "DatabaseDiskLow",
      `${value} % free`,
      held(database("AsyncMetrics_DiskAvailable_default"), value),
      held(database("AsyncMetrics_DiskTotal_default"), 100),
    ),
  ),
  ...[73, 71].map((value) =>
    (value > 0.9 * 80 ? on : off)(
      "DatabaseMemoryNearLimit",
      `${value} % of the container's memory, of which the server takes 80 %`,
      held(database("Metrics_MemoryTracking"), value),
      held(database("AsyncMetrics_CGroupMemoryTotal"), 100),
      held(database("AsyncMetrics_OSMemoryTotal"), 10_000),
    ),
  ),
  on(
    "DatabaseMemoryNearLimit",
    "without a limit the machine's memory counts",
    held(database("Metrics_MemoryTracking"), 73),
    held(database("AsyncMetrics_OSMemoryTotal"), 100),
  ),
];

const brokerCases: RuleCase[] = [
  on(
    "BrokerDown",
    "the exporter remembers the broker, whose offsets cannot be read",
    held(brokers, 1),
  ),
  on("BrokerDown", "no broker is left", held(brokers, 0), held(offset, 5)),
  off("BrokerDown", "the broker answers", held(brokers, 1), held(offset, 5)),
  ...[10_001, 10_000].map((value) =>
    (value > 10_000 ? on : off)(
      "BrokerConsumerLagHigh",
      `${value} messages`,
      held(lag, value),
      held(members, 1),
    ),
  ),
  on(
    "BrokerConsumerLagHigh",
    "10001 messages, beside a partition without a committed offset",
    held(lag, 10_001),
    held(lag.replace('partition="0"', 'partition="1"'), -1),
    held(members, 1),
  ),
  off("BrokerConsumerLagHigh", "a group without members", held(lag, 50_000), held(members, 0)),
  off("BrokerConsumerLagHigh", "a missing group"),
  on("BrokerNoMessagesProduced", "nothing comes", held(offset, 9), held(generator("due"), 1)),
  on(
    "BrokerNoMessagesProduced",
    "nothing comes since the generator died half an hour ago",
    held(offset, 9),
    { series: generator("due"), values: `1x80 _x${STEPS - 80}` },
  ),
  off(
    "BrokerNoMessagesProduced",
    "silent on purpose: standby, paused or finished",
    held(offset, 9),
    held(generator("due"), 0),
  ),
  off("BrokerNoMessagesProduced", "events flow", growing(offset, 1), held(generator("due"), 1)),
  ...[601, 600].map((value) =>
    (value > 600 ? on : off)(
      "BrokerMessagesStuck",
      `${value - 100} messages more than stg has`,
      held(offset, value),
      held(pipeline("nextOffset", `${topic},partition="0"`), 100),
    ),
  ),
  on(
    "BrokerUnderReplicated",
    "one of two partitions lacks a copy",
    held(underReplicated(0), 1),
    held(underReplicated(1), 0),
  ),
  off("BrokerUnderReplicated", "every copy is in sync", held(underReplicated(0), 0)),
  off("BrokerUnderReplicated", "a broker restarts within four minutes", {
    series: underReplicated(0),
    values: `0x184 1x15 0x${STEPS - 200}`,
  }),
  on(
    "BrokerPartitionsOffline",
    "one of two partitions has no leader series",
    held(partitions, 2),
    held(leader(0), 3),
  ),
  on("BrokerPartitionsOffline", "no partition has a leader", held(partitions, 2)),
  on(
    "BrokerPartitionsOffline",
    "a leader of -1",
    held(partitions, 2),
    held(leader(0), 0),
    held(leader(1), -1),
  ),
  off(
    "BrokerPartitionsOffline",
    "both partitions have a leader",
    held(partitions, 2),
    held(leader(0), 0),
    held(leader(1), 3),
  ),
];

/** Time to read a DAG file: Airflow's seconds, divided by StatsD's thousand. */
const parsed = (file: string) =>
  series("scheduler", "airflow_dag_processing_last_duration", `file_name="${file}",quantile="0.5"`);

const schedulerCases: RuleCase[] = [
  on("SchedulerDown", "no heartbeat", held(airflow("scheduler_heartbeat"), 7)),
  off("SchedulerDown", "heartbeats", growing(airflow("scheduler_heartbeat"), 0.2)),
  ...around("SchedulerQueueBacklog", airflow("executor_queued_tasks"), 10),
  ...counting("SchedulerTaskFailures", airflow("ti_failures")),
  on("SchedulerTaskFailures", "the very first failure", {
    series: airflow("ti_failures"),
    values: `_x190 1x${STEPS - 190}`,
  }),
  on(
    "SchedulerParseTimeHigh",
    "files above its threshold",
    held(parsed("a"), 0.02),
    held(parsed("b"), 0.011),
  ),
  off(
    "SchedulerParseTimeHigh",
    "files at its threshold",
    held(parsed("a"), 0.02),
    held(parsed("b"), 0.01),
  ),
  ...around("SchedulerImportErrors", airflow("dag_processing_import_errors"), 0),
];

const generatorCases: RuleCase[] = [
  on(
    "GeneratorSilent",
    "silent for long",
    watching,
    held(generator("lastSuccess"), 100),
    held(generator("startedAt"), 1),
    held(generator("due"), 1),
  ),
  off(
    "GeneratorSilent",
    "silent on purpose: standby, paused or finished",
    watching,
    held(generator("lastSuccess"), 100),
    held(generator("due"), 0),
  ),
  off(
    "GeneratorSilent",
    "a heartbeat",
    watching,
    growing(generator("lastSuccess"), 1, 1),
    held(generator("due"), 1),
  ),
  on(
    "GeneratorStateNotSaved",
    "batches are counted, but the state topic does not grow",
    growing(generator("events", topic), 1),
    held(stateOffset, 7),
  ),
  off(
    "GeneratorStateNotSaved",
    "state comes with the batches",
    growing(generator("events", topic), 1),
    growing(stateOffset, 1),
  ),
  off(
    "GeneratorStateNotSaved",
    "neither batches nor state",
    held(generator("events", topic), 7),
    held(stateOffset, 7),
  ),
  ...counting("GeneratorPublishErrors", generator("publishErrors", topic)),
];

const pipelineCases: RuleCase[] = [
  on("TargetDown", "a target does not answer", held('up{job="broker",instance="one"}', 0)),
  off("TargetDown", "all answer", held('up{job="broker",instance="one"}', 1)),
  ...around(
    "PipelineUnaccountedMessages",
    pipeline("messages", 'stream="browser",state="lost"'),
    0,
  ),
  ...[6, 5].map((share) =>
    (share > 5 ? on : off)(
      "PipelineErrorShareHigh",
      `${share} %`,
      held(pipeline("messages", 'stream="browser",state="typed"'), 100),
      held(pipeline("markedMessages", 'stream="browser",reason="late_event"'), share),
    ),
  ),
  ...[1, 0].map((seconds) =>
    (seconds > 0 ? on : off)(
      "PipelineMartsStale",
      `a day and ${seconds} s behind`,
      held(pipeline("newestIngestion", 'layer="stg"'), 24 * 3600 + 1000 + seconds),
      held(pipeline("newestIngestion", 'layer="dm"'), 1000),
    ),
  ),
  ...[
    on("PipelineLiveMartsLate", "half an hour and a second behind", held(generator("due"), 1)),
    off(
      "PipelineLiveMartsLate",
      "as far behind, but nothing should come",
      held(generator("due"), 0),
    ),
  ].map((one) => ({
    ...one,
    input: [
      ...one.input,
      held(pipeline("newestIngestion", 'layer="stg"'), 5000 + thresholds.liveMartAgeSeconds + 1),
      held(pipeline("newestIngestion", 'layer="dm"'), 5000),
    ],
  })),
  off(
    "PipelineLiveMartsLate",
    "exactly as far behind as is allowed",
    held(generator("due"), 1),
    held(pipeline("newestIngestion", 'layer="stg"'), 5000 + thresholds.liveMartAgeSeconds),
    held(pipeline("newestIngestion", 'layer="dm"'), 5000),
  ),
  ...around("PipelineOrphanEvents", pipeline("orphanEvents"), 0),
];

const hits = (result: string) => collector("hits", `protocol="page",result="${result}"`);
const bucket = (le: string) => `${collector("duration", `le="${le}"`).replace("{", "_bucket{")}`;

const collectorCases: RuleCase[] = [
  ...around("CollectorHitsWaiting", collector("oldestWaiting"), 120),
  ...counting("CollectorJournalFull", collector("refused", 'reason="full"')),
  off("CollectorJournalFull", "other refusals", growing(collector("refused", 'reason="rate"'), 1)),
  on("CollectorBadHits", "6 %", growing(hits("good"), 9.4), growing(hits("bad"), 0.6)),
  off("CollectorBadHits", "5 %", growing(hits("good"), 0.95), growing(hits("bad"), 0.05)),
  off("CollectorBadHits", "half of few", growing(hits("good"), 0.01), growing(hits("bad"), 0.01)),
  on(
    "CollectorSlow",
    "answers take a second",
    growing(bucket("0.5"), 0),
    growing(bucket("+Inf"), 1),
    growing(bucket("1"), 1),
  ),
  off(
    "CollectorSlow",
    "answers take a tenth",
    growing(bucket("0.1"), 1),
    growing(bucket("+Inf"), 1),
  ),
];

export const ruleCases: readonly RuleCase[] = [
  ...databaseCases,
  ...brokerCases,
  ...schedulerCases,
  ...generatorCases,
  ...collectorCases,
  ...pipelineCases,
  ...lateCases,
];
