import { pipelineMetrics as names } from "../../contract/metrics.ts";
import { pipeline, targets } from "../signals/pipeline.ts";
import { thresholds } from "../thresholds.ts";
import { DASHBOARD_UIDS } from "../uids.ts";
import { feed, sample } from "./feed.ts";
import { type AlertRule, label } from "./rule.ts";

const common = {
  group: "pipeline",
  noData: "ok",
  dashboard: DASHBOARD_UIDS.pipeline,
  isSpecified: false,
} as const;

export const pipelineRules: readonly AlertRule[] = [
  {
    ...common,
    name: "TargetDown",
    severity: "critical",
    signal: targets.down,
    fires: { when: "above", threshold: thresholds.any },
    for: "2m",
    // Even Prometheus itself is gone.
    noData: "alert",
    summary: (value) =>
      `{{ if $labels.job }}${value} targets of the job ${label("job")} do not answer{{ else }}No target is known{{ end }}`,
    // Of a job that every stack has.
    about:
      "The label `job` says which. `pipeline` alone down: the schema is missing (`make ddl`), or the password of the user `monitor` changed.",
    hint: "`make ps` shows what does not run; `make up` starts it.",
    drill: feed("prometheus", sample("prometheus", "up", 0)),
  },
  {
    ...common,
    name: "PipelineUnaccountedMessages",
    severity: "critical",
    signal: pipeline.unaccounted,
    fires: { when: "above", threshold: thresholds.unaccountedMessages },
    for: "5m",
    summary: (value) => `${value} messages are neither typed nor rejected`,
    about:
      "Messages below the watermark that `stg` still holds (30 days) are neither typed nor rejected.",
    hint: "`make prove` names the rows; `pipeline ddl --rebuild ods`, then `pipeline transform` loads again what `stg` holds.",
    drill: feed(
      "pipeline",
      sample("pipeline", names.messages, 3, { stream: "drill", state: "unaccounted" }),
    ),
  },
  {
    ...common,
    name: "PipelineErrorShareHigh",
    severity: "warning",
    signal: pipeline.errorShare,
    fires: { when: "above", threshold: thresholds.errorSharePercent },
    for: "10m",
    summary: (value) =>
      `${value} % of the past hour's messages carry the marker ${label("reason")}`,
    about: `Of the messages loaded in the past hour, ${thresholds.fewestMessages} at least, so many carry one marker. It resolves when an hour's loads are whole again; with empty series the first hour counts all. A producer changed, or \`GEN_DEFECTS\` above ${thresholds.errorSharePercent} % makes them on purpose.`,
    hint: "`SELECT error_reason, raw FROM ods.browser_event_errors LIMIT 20`, and the same of the other three streams, shows what came.",
    drill: feed(
      "pipeline",
      sample("pipeline", names.messages, 1000, { stream: "drill", state: "typed" }),
      sample("pipeline", names.markedMessages, 1e9, { stream: "drill", reason: "drill" }),
    ),
  },
  {
    ...common,
    name: "PipelineMartsStale",
    severity: "warning",
    signal: pipeline.martAge,
    fires: { when: "above", threshold: thresholds.martAgeSeconds },
    for: "15m",
    summary: (value) => `The marts are ${value} s behind what has arrived`,
    about: "The marts are behind what has arrived, or were not built since the first message.",
    hint: "Run `etl_pipeline` (`make dag DAG=etl_pipeline`), or `make transform`.",
    drill: feed(
      "pipeline",
      sample(
        "pipeline",
        names.newestIngestion,
        { now: 3 * thresholds.martAgeSeconds },
        { layer: "stg" },
      ),
      sample("pipeline", names.newestIngestion, 1, { layer: "dm" }),
    ),
  },
  {
    ...common,
    name: "PipelineOrphanEvents",
    severity: "critical",
    signal: pipeline.orphans,
    fires: { when: "above", threshold: thresholds.orphanEvents },
    for: "1m",
    summary: (value) => `${value} events have no click; dm keeps its former content`,
    about:
      "Events without their visit, at the last check. The gate has stopped the run and `dm` keeps its former content.",
    hint: "`make transform` rebuilds all layers.",
    drill: feed("pipeline", sample("pipeline", names.orphanEvents, 1)),
  },
];
