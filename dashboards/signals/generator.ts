import { generatorMetrics as names } from "../../contract/metrics.ts";
import { streams } from "../../contract/streams.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import { lastKnown, metric, orZero, rate } from "../promql.ts";
import { signals } from "../signal.ts";
import { thresholds } from "../thresholds.ts";

const of = (name: string, matchers = ""): string => metric("generator", name, matchers);
const BEFORE_FIRST = "no batch has been committed since the generator started";

/** PromQL: batches are due. A generator that no longer answers keeps its last value. */
export const isDue = `(max(${lastKnown(of(names.due))}) == 1)`;
/** PromQL: batches became due less than two minutes ago, so the first may still be missing. */
const hasJustBegun = `(min(min_over_time(${of(names.due)}[2m])) == 0)`;
const SWITCHED_OFF =
  "the generator is in standby, paused or finished, or Prometheus started less than two minutes ago";
/** Growth of the state topic, including transaction markers. */
const stateGrowth = rate(
  metric("broker", "kafka_topic_partition_current_offset", `topic="${STATE_TOPIC}"`),
);
/** Time of the last batch, or of the start if no batch was committed. */
const lastSign = `max(${lastKnown(of(names.lastSuccess))} > 0 or ${lastKnown(of(names.startedAt))})`;
const silent = `(time() - ${lastSign})`;
/** PromQL: Prometheus runs longer than silence may last; two minutes exclude earlier processes. */
const isWatched = `(time() - max(last_over_time(${metric("prometheus", "process_start_time_seconds")}[2m])) > ${thresholds.generatorSilenceSeconds})`;
const twoTicks = `(2 * (${orZero(`max(${lastKnown(of(names.tickSeconds))})`)}))`;

export const NO_GENERATOR = -1;

export const generator = signals({
  events: {
    name: "Events/min",
    meaning:
      "Messages of all four topics together. One page event makes about 2.3 messages, so compare page events, not messages, with the target.",
    unit: "cpm",
    expr: `sum(${rate(of(names.events))}) * 60`,
    legend: "all topics",
  },
  eventsByTopic: {
    name: "Events/min by topic",
    meaning:
      "Browser and location have the same rate; device and geo have one message per session.",
    unit: "cpm",
    expr: `sum by (topic) (${rate(of(names.events))}) * 60`,
    legend: "{{topic}}",
  },
  pageEvents: {
    name: "Page events/min",
    meaning: "Rate set by GEN_LAMBDA_BASE_PER_MIN, multiplied by the daily coefficient.",
    unit: "cpm",
    expr: `sum(${rate(of(names.events, `topic="${streams.browser.topic}"`))}) * 60`,
    legend: "page events",
  },
  target: {
    name: "Target of page events/min",
    meaning:
      "Base rate times daily coefficient times speed of model time. The rate of page events should be near the target.",
    unit: "cpm",
    expr: of(names.targetRate),
    legend: "target",
  },
  silence: {
    name: "Since the last batch",
    meaning: `Time since the last committed tick, also of a generator that no longer answers; stale after ${thresholds.generatorSilenceSeconds} s. The panel beside this one shows whether state is saved.`,
    unit: "s",
    // A gauge without a value is 0, which is the year 1970.
    expr: `time() - max(${lastKnown(of(names.lastSuccess))} > 0)`,
    legend: "silence",
    emptyWhen: `${BEFORE_FIRST}, or no batch within a week`,
  },
  silenceWhileEnabled: {
    name: "Silence of a generator that should publish",
    meaning:
      "Seconds since the last batch or the start, while batches are due. The value is 0 for the length of two ticks. Standby, paused and finished are not faults.",
    unit: "s",
    expr: `${silent} * (${silent} > bool ${twoTicks}) and on () ${isDue} and on () ${isWatched} unless on () ${hasJustBegun}`,
    legend: "silence",
    emptyWhen: SWITCHED_OFF,
  },
  stateSaved: {
    name: "Saved state, records/min",
    meaning:
      "Growth of the state topic in the broker's exporter, including transaction markers. State and batch are one transaction, so each batch is visible here.",
    unit: "cpm",
    expr: `sum(${stateGrowth}) * 60`,
    legend: "state",
  },
  unsaved: {
    name: "Events without saved state",
    meaning:
      "Messages that the generator reports as committed while the state topic does not grow in the broker's exporter. Messages and state are one transaction, so any value above zero is a fault of the generator or the topic.",
    unit: "ops",
    expr: `sum(${rate(of(names.events))}) * (min(sum by (instance) (${stateGrowth})) == bool 0)`,
    legend: "without state",
  },
  publishErrors: {
    name: "Publish errors",
    meaning:
      "Failed attempts by topic. The generator retries each batch, so no message is lost. The generator's log has the broker's answer.",
    unit: "ops",
    expr: `sum by (topic) (${rate(of(names.publishErrors))})`,
    legend: "{{topic}}",
  },
  tickTime: {
    name: "Tick duration",
    meaning:
      "From the start of a tick to its commit, 95th percentile. Near GEN_TICK_SECONDS the generator falls behind.",
    unit: "s",
    expr: `histogram_quantile(0.95, sum by (le) (${rate(of(`${names.tickDuration}_bucket`))}))`,
    legend: "p95",
  },
  coefficient: {
    name: "Daily coefficient",
    meaning:
      "0.7 at night, 1.2 in working hours, else 1.0, in model time and the model's time zone.",
    expr: of(names.coefficient),
    legend: "coefficient",
  },
  activeSessions: {
    name: "Active sessions",
    meaning:
      "Sessions in progress. At GEN_MAX_ACTIVE_SESSIONS the generator rejects further sessions.",
    expr: of(names.activeSessions),
    legend: "sessions",
  },
  population: {
    name: "Population",
    meaning:
      "Active visitors; in shop only those on the site. At GEN_POPULATION_MAX the generator adds no new visitors.",
    expr: of(names.population),
    legend: "visitors",
  },
  modelLag: {
    name: "Lag of model time",
    meaning:
      "Seconds by which model time lags. The lag grows during a backfill and while the generator is stopped.",
    unit: "s",
    expr: `time() - (${of(names.modelTime)} > 0)`,
    legend: "lag",
    emptyWhen: BEFORE_FIRST,
  },
  clamped: {
    name: "Clamped ticks",
    meaning:
      "Ticks per second whose budget was clamped to its minimum or maximum, so the rate differs from the target.",
    unit: "ops",
    expr: rate(of(names.clampedTicks)),
    legend: "clamped",
  },
  rejectedSessions: {
    name: "Rejected sessions",
    meaning:
      "Sessions rejected by the limits on sessions and population. For higher rates, raise these limits.",
    unit: "ops",
    expr: rate(of(names.rejectedSessions)),
    legend: "rejected",
  },
  backfill: {
    name: "Backfill",
    meaning: "Share of the backfill that is written.",
    unit: "percent",
    expr: `${of(names.backfillProgress)} * 100`,
    legend: "written",
  },
  state: {
    name: "State of the service",
    meaning:
      "State that the service reports; gone means that the service does not answer. Refused, failed and gone need action: /status or the log has the reason. Standby (make generator-down), paused and finished are intended.",
    expr: `max(${of(names.state)}) or max(${of("up")} == 0) + ${NO_GENERATOR}`,
    legend: "state",
  },
});
