import { collector } from "../signals/collector.ts";
import { thresholds } from "../thresholds.ts";
import { rulesOf } from "./rule.ts";

export const collectorRules = rulesOf("collector", [
  {
    name: "CollectorHitsWaiting",
    severity: "critical",
    signal: collector.oldestWaiting,
    fires: { when: "above", threshold: thresholds.hitAgeSeconds },
    for: "0s",
    summary: (value) => `A hit has waited ${value} s for Kafka`,
    about:
      "Kafka or ClickHouse does not answer, or refuses what the collector sends. The hits are in the journal, and no hit is lost until it is full.",
    hint: "`make logs SERVICE=collector` shows the reason; `make ps` shows whether Kafka and ClickHouse run.",
    drill: { kind: "stop", service: "broker", sendsHit: true },
  },
  {
    name: "CollectorJournalFull",
    severity: "critical",
    signal: collector.full,
    fires: { when: "above", threshold: thresholds.any },
    for: "0s",
    summary: (value) => `The collector refuses ${value} requests per second: its journal is full`,
    about: "Hits are lost: a page that is left does not send again.",
    hint: "`make logs SERVICE=collector` shows why it cannot deliver; a larger `collector.journalMb` gives more time.",
  },
  {
    name: "CollectorBadHits",
    severity: "warning",
    signal: collector.badShare,
    fires: { when: "above", threshold: thresholds.badHitsPercent },
    for: "5m",
    summary: (value) => `${value} % of the hits of the last hour are bad`,
    about: "A tracker sends what its protocol does not allow, such as after a change of the site.",
    hint: "`make urls` prints the collector's page, which has the reason and the body of each.",
  },
  {
    name: "CollectorSlow",
    severity: "warning",
    signal: collector.answerTime,
    fires: { when: "above", threshold: thresholds.answerSeconds },
    for: "5m",
    summary: (value) => `The collector takes ${value} s for an answer`,
    about: "A hit is answered when it is on the disk, so the disk or the processor is too busy.",
    hint: "`docker stats` shows which container uses the processor and the disk.",
  },
]);
