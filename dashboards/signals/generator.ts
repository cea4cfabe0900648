import { generatorMetrics as names } from "../../contract/metrics.ts";
import { streams } from "../../contract/streams.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import { lastKnown, metric, orZero, rate } from "../promql.ts";
import { signals } from "../signal.ts";
import { thresholds } from "../thresholds.ts";

const of = (name: string, matchers = ""): string => metric("generator", name, matchers);
const BEFORE_FIRST = "no batch has been committed since the generator started";

/** Whether batches are due, also when it has died; not where it stood still on purpose before. */
export const isDue = `(max(${lastKnown(of(names.due))}) == 1)`;
/** Whether it stood still until just now: its first batch is still to come. */
const hasJustBegun = `(min(min_over_time(${of(names.due)}[2m])) == 0)`;
const SWITCHED_OFF =
  "the generator stands still on purpose, or Prometheus has not run for two minutes";
/** Growth of the state's topic as the broker's exporter sees it; transactions leave markers. */
const stateGrowth = rate(
  metric("broker", "kafka_topic_partition_current_offset", `topic="${STATE_TOPIC}"`),
);
/** Its last batch, or its start where there was none since. */
const lastSign = `max(${lastKnown(of(names.lastSuccess))} > 0 or ${lastKnown(of(names.startedAt))})`;
const silent = `(time() - ${lastSign})`;
/**
 * Whether somebody has looked for as long as silence may last: what was last said before Prometheus
 * stood still says nothing of now. Of the past two minutes alone, lest it be another start of it.
 */
const isWatched = `(time() - max(last_over_time(${metric("prometheus", "process_start_time_seconds")}[2m])) > ${thresholds.generatorSilenceSeconds})`;
/** Two ticks: one that is under way, and the one before it. */
const twoTicks = `(2 * (${orZero(`max(${lastKnown(of(names.tickSeconds))})`)}))`;

/** Value of the panel's state for a service that does not answer; none of its own. */
export const GONE = -1;

export const generator = signals({
  events: {
    name: "Events/min",
    meaning:
      "Messages of all four topics together. One page event makes about 2.3 messages: compare page events with the target.",
    unit: "cpm",
    type: "rate",
    expr: `sum(${rate(of(names.events))}) * 60`,
    legend: "all topics",
  },
  eventsByTopic: {
    name: "Events/min by topic",
    meaning: "Browser and location go together; device and geo come once per visit.",
    unit: "cpm",
    type: "rate",
    expr: `sum by (topic) (${rate(of(names.events))}) * 60`,
    legend: "{{topic}}",
  },
  pageEvents: {
    name: "Page events/min",
    meaning: "What GEN_LAMBDA_BASE_PER_MIN sets, times the daily coefficient.",
    unit: "cpm",
    type: "rate",
    expr: `sum(${rate(of(names.events, `topic="${streams.browser.topic}"`))}) * 60`,
    legend: "page events",
  },
  target: {
    name: "Target of page events/min",
    meaning:
      "Base rate times daily coefficient times speed of model time: what page events should be near to.",
    unit: "cpm",
    type: "level",
    expr: of(names.targetRate),
    legend: "target",
  },
  silence: {
    name: "Since the last batch",
    meaning: `Heartbeat of the last committed tick, also of a generator that is gone; stale after ${thresholds.generatorSilenceSeconds} s. It says nothing about saved state: that is the panel beside it, told by the broker.`,
    unit: "s",
    type: "level",
    // A gauge nobody has set yet is 0, the beginning of 1970.
    expr: `time() - max(${lastKnown(of(names.lastSuccess))} > 0)`,
    legend: "silence",
    emptyWhen: `${BEFORE_FIRST}, or none was seen for a week`,
  },
  silenceWhileEnabled: {
    name: "Silence of a generator that should publish",
    meaning:
      "Seconds since the last batch, or since its start without one, only where batches are due and Prometheus has looked for as long: standing by, paused or finished is no fault, and 0 is told for the length of two ticks.",
    unit: "s",
    type: "level",
    expr: `${silent} * (${silent} > bool ${twoTicks}) and on () ${isDue} and on () ${isWatched} unless on () ${hasJustBegun}`,
    legend: "silence",
    emptyWhen: SWITCHED_OFF,
  },
  stateSaved: {
    name: "Saved state, records/min",
    meaning:
      "Growth of the topic of the state as the broker's exporter sees it, the markers of transactions included. State goes with its batch in one transaction, so each batch shows here.",
    unit: "cpm",
    type: "rate",
    expr: `sum(${stateGrowth}) * 60`,
    legend: "state",
  },
  unsaved: {
    name: "Events without saved state",
    meaning:
      "Messages that the generator says it commits while the broker's exporter sees nothing arrive in the topic of the state. Both are one transaction: anything but zero is a fault of the generator or of the topic.",
    unit: "ops",
    type: "rate",
    expr: `sum(${rate(of(names.events))}) * (min(sum by (instance) (${stateGrowth})) == bool 0)`,
    legend: "without state",
  },
  publishErrors: {
    name: "Publish errors",
    meaning:
      "Failed attempts by topic. Batches are tried again, so none is lost; see the generator's log for the broker's answer.",
    unit: "ops",
    type: "rate",
    expr: `sum by (topic) (${rate(of(names.publishErrors))})`,
    legend: "{{topic}}",
  },
  tickTime: {
    name: "Tick duration",
    meaning:
      "From the start of a tick to its commit, 95th percentile. Near GEN_TICK_SECONDS the generator falls behind.",
    unit: "s",
    type: "level",
    expr: `histogram_quantile(0.95, sum by (le) (${rate(of(`${names.tickDuration}_bucket`))}))`,
    legend: "p95",
  },
  coefficient: {
    name: "Daily coefficient",
    meaning: "0.7 at night, 1.2 in working hours, else 1.0, by the model's own time and zone.",
    unit: "short",
    type: "level",
    expr: of(names.coefficient),
    legend: "coefficient",
  },
  activeVisits: {
    name: "Visits under way",
    meaning: "At GEN_MAX_ACTIVE_SESSIONS further visits are turned away.",
    unit: "short",
    type: "level",
    expr: of(names.activeVisits),
    legend: "visits",
  },
  population: {
    name: "Population",
    meaning: "Users that are alive. At GEN_POPULATION_MAX only returning users come.",
    unit: "short",
    type: "level",
    expr: of(names.population),
    legend: "users",
  },
  modelLag: {
    name: "Model time against wall time",
    meaning:
      "Seconds by which model time is behind. Grows while a backfill is written or the generator stood.",
    unit: "s",
    type: "level",
    expr: `time() - (${of(names.modelTime)} > 0)`,
    legend: "behind",
    emptyWhen: BEFORE_FIRST,
  },
  clamped: {
    name: "Clamped ticks",
    meaning:
      "Ticks per second whose budget met its least or greatest value: the rate is then not the target's.",
    unit: "ops",
    type: "rate",
    expr: rate(of(names.clampedTicks)),
    legend: "clamped",
  },
  unborn: {
    name: "Visits turned away",
    meaning: "By the ceilings on visits and population. Raise them for higher rates.",
    unit: "ops",
    type: "rate",
    expr: rate(of(names.unbornVisits)),
    legend: "turned away",
  },
  backfill: {
    name: "Backfill",
    meaning: "Share of the history that is written.",
    unit: "percent",
    type: "level",
    expr: `${of(names.backfillProgress)} * 100`,
    legend: "written",
  },
  state: {
    name: "State of the service",
    meaning:
      "What the service says of itself; gone: it does not answer. Refused, failed and gone need somebody: /status or its log names the reason. Standing by (make generator-down), paused and finished are meant so.",
    unit: "short",
    type: "level",
    expr: `max(${of(names.state)}) or max(${of("up")} == 0) + ${GONE}`,
    legend: "state",
  },
});
