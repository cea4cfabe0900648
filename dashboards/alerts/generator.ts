import { generatorMetrics as names } from "../../contract/metrics.ts";
import { EVENT_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";
import { generator } from "../signals/generator.ts";
import { thresholds } from "../thresholds.ts";
import { DASHBOARD_UIDS } from "../uids.ts";
import { feed, sample } from "./feed.ts";
import { type AlertRule, label } from "./rule.ts";

const common = {
  group: "generator",
  noData: "ok",
  dashboard: DASHBOARD_UIDS.generator,
  isSpecified: false,
} as const;
const [topic = ""] = EVENT_TOPICS;

export const generatorRules: readonly AlertRule[] = [
  {
    ...common,
    name: "GeneratorSilent",
    severity: "critical",
    signal: generator.silenceWhileEnabled,
    fires: { when: "above", threshold: thresholds.generatorSilenceSeconds },
    for: "0s",
    summary: (value) => `The generator has committed no batch for ${value} s`,
    about: `No batch, and no start, though batches are due or were when it last answered. Where \`GEN_TICK_SECONDS\` is above ${thresholds.generatorSilenceSeconds / 2}, only after two ticks; after a start of Prometheus, only when that has run for ${thresholds.generatorSilenceSeconds} s. The heartbeat says nothing about saved state.`,
    hint: "`pipeline generator status` says its state and last error; when it does not answer, `make logs SERVICE=generator`, then `make up`.",
    drill: { kind: "stop", service: "generator" },
  },
  {
    ...common,
    name: "GeneratorStateNotSaved",
    severity: "warning",
    signal: generator.unsaved,
    fires: { when: "above", threshold: thresholds.any },
    for: "5m",
    summary: (value) => `${value} events per second are committed and no state with them`,
    about:
      "The generator counts events as committed while the broker's exporter sees nothing arrive in the topic `generator_state`. Batch and state are one transaction, so that this tells a fault of the generator or of the topic, never a slow save; a restart now could repeat events. A record goes with each batch under `GEN_STATE_ENABLED=false` as well, but no state in it. Without the broker's exporter nobody sees it from outside, and there is no rule.",
    hint: "`pipeline generator status`, then `make generator-restart`.",
    drill: feed(
      "generator",
      sample("generator", names.events, 0, { topic }, 1),
      // A topic of the state that stands still beside the one that grows.
      sample("broker", "kafka_topic_partition_current_offset", 5, {
        topic: STATE_TOPIC,
        partition: "drill",
      }),
    ),
  },
  {
    ...common,
    name: "GeneratorPublishErrors",
    severity: "warning",
    signal: generator.publishErrors,
    fires: { when: "above", threshold: thresholds.publishErrorsPerSecond },
    for: "2m",
    summary: (value) => `${value} attempts to publish to ${label("topic")} fail per second`,
    about: "Batches are tried again, none is lost. Broker away, or a full disk of the broker.",
    hint: "`make logs SERVICE=generator` holds the broker's answer; `make ps` and `make logs SERVICE=broker` say whether it runs.",
    drill: feed("generator", sample("generator", names.publishErrors, 0, { topic }, 1)),
  },
];
