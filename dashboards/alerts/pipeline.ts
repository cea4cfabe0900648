import { LIVE_LOAD_SECONDS } from "../../contract/schedule.ts";
import { pipeline, targets } from "../signals/pipeline.ts";
import { thresholds } from "../thresholds.ts";
import { label, rulesOf } from "./rule.ts";

export const pipelineRules = rulesOf("pipeline", [
  {
    name: "TargetDown",
    severity: "critical",
    signal: targets.down,
    fires: { when: "above", threshold: thresholds.any },
    for: "2m",
    // Missing data alerts, because it means that not even Prometheus is a target.
    noData: "alert",
    summary: (value) =>
      `{{ if $labels.job }}${value} targets of the job ${label("job")} do not answer{{ else }}No target is known{{ end }}`,
    about:
      "The label `job` names the target. If only `pipeline` is down, the schema is missing (`make ddl`), or the password of the user `monitor` has changed.",
    hint: "`make ps` shows stopped services; `make up` starts them.",
    drill: { kind: "stop", service: "generator" },
  },
  {
    name: "PipelineUnaccountedMessages",
    severity: "critical",
    signal: pipeline.unaccounted,
    fires: { when: "above", threshold: thresholds.any },
    for: "5m",
    summary: (value) => `${value} messages are lost or duplicated between stg and ods`,
    about:
      "Messages loaded in the past 30 days, in any epoch, are lost (neither typed nor rejected) or duplicated in `ods`.",
    hint: "`make prove` names stream, day and rows, and for each finding the command that repairs it.",
  },
  {
    name: "PipelineErrorShareHigh",
    severity: "warning",
    signal: pipeline.errorShare,
    fires: { when: "above", threshold: thresholds.errorSharePercent },
    for: "10m",
    summary: (value) => `${value} % of the past hour's messages have the marker ${label("reason")}`,
    about: `Too many messages of the past hour have the same marker. Needs at least ${thresholds.fewestMessages} messages. The alert resolves an hour after the last bad load; on a new Prometheus, the first hour counts all messages. A producer changed, or \`GEN_DEFECTS\` is above ${thresholds.errorSharePercent} %.`,
    hint: "`SELECT error_reason, raw FROM ods.browser_event_errors LIMIT 20`, also for the other three streams, shows the messages. `location_not_found` and the markers `…_missing` name a message that did not come: `dds.event` and `dds.click` have them.",
  },
  {
    name: "PipelineMartsStale",
    severity: "warning",
    signal: pipeline.martAge,
    fires: { when: "above", threshold: thresholds.martAgeSeconds },
    for: "15m",
    summary: (value) => `The marts are ${value} s behind stg`,
    about: "The marts lack new messages of `stg`, or have never been built.",
    hint: "Run `etl_pipeline` (`make dag DAG=etl_pipeline`), or `make transform`.",
  },
  {
    name: "PipelineLiveMartsLate",
    severity: "warning",
    signal: pipeline.liveMartAge,
    seenIn: pipeline.martAge,
    fires: { when: "above", threshold: thresholds.liveMartAgeSeconds },
    for: "5m",
    summary: (value) => `Events come, and the marts are ${value} s behind stg`,
    about: `The generator publishes, and no load has brought its events to \`dm\` for ${thresholds.liveMartAgeSeconds / 60} minutes. In live mode a load starts every ${LIVE_LOAD_SECONDS} seconds.`,
    hint: "`make dags` shows whether `etl_live` or `etl_pipeline` is paused or fails; `./pipeline dag unpause etl_live` enables the loads; `make transform` loads once.",
  },
  {
    name: "PipelineOrphanEvents",
    severity: "critical",
    signal: pipeline.orphans,
    fires: { when: "above", threshold: thresholds.any },
    for: "1m",
    summary: (value) => `${value} events have no session; dm keeps its previous content`,
    about:
      "Events without their session at the last check. The gate has stopped the run and `dm` keeps its previous content.",
    hint: "`make transform` rebuilds all layers.",
  },
]);
