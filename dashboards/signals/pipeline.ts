import { generatorMetrics, pipelineMetrics as names } from "../../contract/metrics.ts";
import { EVERY_JOB, growth, JOBS, metric, rate } from "../promql.ts";
import { signals } from "../signal.ts";
import { thresholds } from "../thresholds.ts";
import { EVENT_MATCHER } from "./broker.ts";
import { isDue } from "./generator.ts";

const of = (name: string, matchers = ""): string => metric("pipeline", name, matchers);
const newest = (layer: string): string => `max(${of(names.newestIngestion, `layer="${layer}"`)})`;
const NOT_LOADED = "nothing has been loaded into the layer";
const offsets = metric("broker", "kafka_topic_partition_current_offset", EVENT_MATCHER);
const oldest = metric("broker", "kafka_topic_partition_oldest_offset", EVENT_MATCHER);
const byPartition = (series: string): string => `max by (topic, partition) (${series})`;
/** Next offset that stg reads; the oldest offset in the broker if stg has no rows. */
const nextOffset = `(${byPartition(of(names.nextOffset))} or ${byPartition(oldest)} and on () (max(up{job="${JOBS.pipeline}"}) == 1))`;
const perMinute = (series: string): string => `sum(${rate(series)}) * 60`;
const state = (matcher: string): string => of(names.messages, `state=~"${matcher}"`);

const TYPED = state("typed|rejected");
/** Returns the growth within the latest epoch; a lower count in ods means a new epoch. */
const grown = (series: string, window: string): string =>
  growth({
    job: "pipeline",
    series,
    window,
    isReset: `sum by (job) (resets(${TYPED}[${window}])) > 0`,
  });

const MISSING = of(names.missingMessages);
/** Messages that became missing within an hour: those that arrive late make the count fall. */
const RISEN = `(clamp_min(${MISSING} - last_over_time(${MISSING}[1d] offset 1h), 0) or ${MISSING} + 0)`;

const MART_AGE = `clamp_min(${newest("stg")} - (${newest("dm")} or max(${of(names.oldestIngestion)})), 0)`;

export const pipeline = signals({
  freshness: {
    name: "Age of the newest data by layer",
    meaning:
      "Time since the newest message in a layer was received. If stg grows, check lag and consumers. If a later layer grows, run the batch process (etl_pipeline, make transform).",
    unit: "s",
    expr: `time() - ${of(names.newestIngestion)}`,
    legend: "{{layer}}",
    emptyWhen: NOT_LOADED,
  },
  martAge: {
    name: "Marts behind stg",
    meaning:
      "Difference between the newest data in stg and in dm. Zero when dm has all data; before the first build, the age of the oldest message in stg.",
    unit: "s",
    expr: MART_AGE,
    legend: "dm behind stg",
    emptyWhen: NOT_LOADED,
  },
  liveMartAge: {
    name: "Marts behind stg while events come",
    meaning: "Marts behind stg while the generator should publish, so that loads are due.",
    unit: "s",
    expr: `${MART_AGE} and on () ${isDue}`,
    legend: "dm behind stg",
    emptyWhen: NOT_LOADED,
  },
  eventAge: {
    name: "Age of the newest event in the marts",
    meaning:
      "Time since the newest event in dm happened, by its own time: the lag of model time, plus the time until a load has brought it to dm. Data of the past stay old.",
    unit: "s",
    expr: `time() - max(${of(names.newestEvent)})`,
    legend: "newest event in dm",
    emptyWhen: NOT_LOADED,
  },
  generated: {
    name: "Generator",
    meaning: "Messages per minute that the generator commits.",
    unit: "cpm",
    expr: perMinute(metric("generator", generatorMetrics.events)),
    legend: "generator",
  },
  brokered: {
    name: "Broker",
    meaning:
      "Offsets per minute of the event topics. Every commit adds a transaction marker to each partition it wrote to, so small batches make more markers than messages.",
    unit: "cpm",
    expr: perMinute(offsets),
    legend: "broker",
  },
  staged: {
    name: "stg",
    meaning: "Rows per minute that reach stg.",
    unit: "cpm",
    expr: perMinute(state("raw")),
    legend: "stg",
  },
  typed: {
    name: "ods",
    meaning: "Messages per minute that are typed or rejected, in bursts: one per load.",
    unit: "cpm",
    expr: perMinute(TYPED),
    legend: "ods",
  },
  integrated: {
    name: "dds",
    meaning: "Page events per minute that are integrated, in bursts: one per load.",
    unit: "cpm",
    expr: perMinute(of(names.rows, 'layer="dds",entity="event"')),
    legend: "dds",
  },
  states: {
    name: "Messages by state",
    meaning:
      "Messages of this epoch by state. Pending messages wait for the next load. Lost and duplicated messages are of all epochs.",
    expr: `sum by (state) (${of(names.messages, 'state!="raw"')})`,
    legend: "{{state}}",
  },
  unaccounted: {
    name: "Unaccounted messages",
    meaning:
      "Messages that are missing in ods (lost) or are in ods twice (duplicated), from loads of the past 30 days in any epoch. make prove lists the rows and a fix.",
    expr: `sum(${state("lost|doubled")})`,
    legend: "unaccounted",
  },
  stuck: {
    name: "Messages between broker and stg",
    meaning:
      "Offsets in the broker that are missing in stg, with or without a connected consumer. A few offsets are transaction markers. If many messages remain, see system.kafka_consumers.",
    expr: `sum(clamp_min(${byPartition(offsets)} - ${nextOffset}, 0))`,
    legend: "stuck",
  },
  errorsByReason: {
    name: "Marked messages by reason",
    meaning:
      "Messages in the error tables and missing messages by marker; a message may have several. contract/markers.ts defines them.",
    expr: `sum by (reason) (${of(names.markedMessages)} or ${MISSING})`,
    legend: "{{reason}}",
    emptyWhen: "no message has a marker",
  },
  errorShare: {
    name: "Share of marked messages by reason, 1 hour",
    meaning:
      "Share of the messages loaded in the past hour. A sudden rise of one reason means that a producer changed: see raw and error_reason in ods.*_errors.",
    unit: "percent",
    expr: `100 * sum by (reason) (${grown(of(names.markedMessages), "1h")} or ${RISEN}) / on () group_left () (sum(${grown(TYPED, "1h")}) >= ${thresholds.fewestMessages})`,
    legend: "{{reason}}",
    emptyWhen: "too few messages were loaded for a share",
  },
  orphans: {
    name: "Orphan events",
    meaning:
      "Events without their session at the last check. The gate stops the run before dm. To fix, run `make transform`, a full refresh.",
    expr: `sum(${of(names.orphanEvents)})`,
    legend: "orphans",
  },
  rows: {
    name: "Rows by layer",
    meaning: "Rows of all tables of a layer.",
    expr: `sum by (layer) (${of(names.rows)})`,
    legend: "{{layer}}",
  },
  systemLogs: {
    name: "System logs",
    meaning:
      "Size of the database's system logs. Unbounded growth means that a log has lost its time to live: see components/database/system-logs.ts.",
    unit: "bytes",
    expr: `sum(${of(names.systemLogBytes)})`,
    legend: "system logs",
  },
});

export const targets = signals({
  down: {
    name: "Targets down",
    meaning:
      "Services that do not answer. Start here: a service that is down explains most other alerts.",
    expr: `sum by (job) (1 - up{${EVERY_JOB}})`,
    legend: "{{job}}",
  },
  up: {
    name: "Up",
    meaning: "1: the target answered the last scrape.",
    unit: "bool",
    expr: `min by (job) (up{${EVERY_JOB}})`,
    legend: "{{job}}",
  },
  scrapeTime: {
    name: "Scrape duration",
    meaning:
      "Time that each target takes to answer. pipeline queries the layers, so its time grows with the data.",
    unit: "s",
    expr: `max by (job) (scrape_duration_seconds{${EVERY_JOB}})`,
    legend: "{{job}}",
  },
  series: {
    name: "Series",
    meaning: "Series that Prometheus keeps in memory.",
    expr: metric("prometheus", "prometheus_tsdb_head_series"),
    legend: "series",
  },
});
