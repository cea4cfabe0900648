import { collectorMetrics as names } from "../../contract/metrics.ts";
import { metric, rate } from "../promql.ts";
import { signals } from "../signal.ts";
import { thresholds } from "../thresholds.ts";

const of = (name: string, matchers = ""): string => metric("collector", name, matchers);
const inAnHour = (matchers = ""): string => `sum(increase(${of(names.hits, matchers)}[1h]))`;
const NO_HIT = "no hit has arrived since the collector started";

export const collector = signals({
  accepted: {
    name: "Hits/min by tracker",
    meaning: "Hits in the journal, also bad ones. A request can have several.",
    unit: "cpm",
    expr: `sum by (protocol) (${rate(of(names.hits))}) * 60`,
    legend: "{{protocol}}",
    emptyWhen: NO_HIT,
  },
  badShare: {
    name: "Share of bad hits",
    meaning: `Requests of a tracker that are no hit, within an hour of at least ${thresholds.fewestHits} hits. The page of the last hits has the reason of each.`,
    unit: "percent",
    expr: `100 * ${inAnHour('result="bad"')} / (${inAnHour()} >= ${thresholds.fewestHits})`,
    legend: "bad",
    emptyWhen: "fewer hits have arrived within an hour, or none was bad",
  },
  refused: {
    name: "Refused requests by reason",
    meaning:
      "origin: a page of a site that is not allowed; address: no tracker sends there; size: a body that is too large; rate: too many requests of one address; full: no room in the journal.",
    unit: "reqps",
    expr: `sum by (reason) (${rate(of(names.refused))})`,
    legend: "{{reason}}",
  },
  full: {
    name: "Hits refused by a full journal",
    meaning:
      "Requests answered with 503 because the journal has no room. Trackers repeat most of them, but not those of a page that is left.",
    unit: "reqps",
    expr: `sum(${rate(of(names.refused, 'reason="full"'))})`,
    legend: "full",
  },
  waiting: {
    name: "Hits that wait",
    meaning: "Hits in the journal that are not in Kafka yet.",
    expr: `sum(${of(names.waiting)})`,
    legend: "hits",
  },
  waitingBytes: {
    name: "Size of the journal",
    meaning: "Bytes of the hits that wait. At `collector.journalMb` the collector answers 503.",
    unit: "bytes",
    expr: `sum(${of(names.waitingBytes)})`,
    legend: "journal",
  },
  oldestWaiting: {
    name: "Age of the oldest hit that waits",
    meaning: "A second or two while Kafka and ClickHouse answer, 0 if none waits.",
    unit: "s",
    expr: `max(${of(names.oldestWaiting)})`,
    legend: "oldest hit",
  },
  answerTime: {
    name: "Time to an answer",
    meaning: "From a request to its answer, 95th percentile: mostly the wait for the disk.",
    unit: "s",
    expr: `histogram_quantile(0.95, sum by (le) (${rate(of(`${names.duration}_bucket`))}))`,
    legend: "p95",
  },
  failures: {
    name: "Failed deliveries",
    meaning: "Attempts to deliver a file of the journal. Each is repeated, so no hit is lost.",
    unit: "ops",
    expr: `sum(${rate(of(names.failures))})`,
    legend: "failures",
  },
});
