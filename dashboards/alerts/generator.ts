import { generator } from "../signals/generator.ts";
import { thresholds } from "../thresholds.ts";
import { label, rulesOf } from "./rule.ts";

export const generatorRules = rulesOf("generator", [
  {
    name: "GeneratorSilent",
    severity: "critical",
    signal: generator.silenceWhileEnabled,
    fires: { when: "above", threshold: thresholds.generatorSilenceSeconds },
    for: "0s",
    summary: (value) => `The generator has committed no batch for ${value} s`,
    about: `No batch was committed although batches are due, or were due when the generator last answered. If \`GEN_TICK_SECONDS\` is above ${thresholds.generatorSilenceSeconds / 2}, the rule waits for two ticks. Prometheus must have run for ${thresholds.generatorSilenceSeconds} s.`,
    hint: "`./pipeline stack run -- generator status` shows its state and last error; if it does not answer, `make logs SERVICE=generator`, then `make up`.",
    drill: { kind: "stop", service: "generator" },
  },
  {
    name: "GeneratorStateNotSaved",
    severity: "warning",
    signal: generator.unsaved,
    fires: { when: "above", threshold: thresholds.any },
    for: "5m",
    summary: (value) => `${value} events per second are committed without saved state`,
    about:
      "The generator counts events as committed while the topic `generator_state` does not grow. Both are one transaction, so the generator or the topic is at fault. A restart now could repeat events. With `GEN_STATE_ENABLED=false` each batch still writes a record, without state. The rule needs the broker's exporter.",
    hint: "`./pipeline stack run -- generator status`, then `make generator-restart`.",
  },
  {
    name: "GeneratorPublishErrors",
    severity: "warning",
    signal: generator.publishErrors,
    fires: { when: "above", threshold: thresholds.any },
    for: "2m",
    summary: (value) => `${value} attempts to publish to ${label("topic")} fail per second`,
    about:
      "The generator retries each batch, so no message is lost. The broker is down, or its disk is full.",
    hint: "`make logs SERVICE=generator` shows the broker's answer; `make ps` and `make logs SERVICE=kafka` show whether the broker runs.",
  },
]);
