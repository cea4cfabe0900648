import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { generatorStates, generatorMetrics as names } from "../../contract/metrics.ts";
import { EVENT_TOPICS } from "../../contract/topics.ts";

const TICK_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const STATES = Object.entries(generatorStates)
  .map(([name, value]) => `${value} ${name}`)
  .join(", ");

export function makeMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const perTopic = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ["topic"], registers });
  const metrics = {
    registry,
    events: perTopic(names.events, "Messages committed, by topic"),
    publishErrors: perTopic(names.publishErrors, "Failed attempts to publish, by topic"),
    tickDuration: new Histogram({
      name: names.tickDuration,
      help: "Seconds from the start of a tick until its batch is committed",
      buckets: TICK_BUCKETS,
      registers,
    }),
    lastSuccess: gauge(names.lastSuccess, "Unix time of the last committed batch"),
    coefficient: gauge(names.coefficient, "Daily coefficient at the model's time"),
    targetRate: gauge(names.targetRate, "Target page events per minute of wall-clock time"),
    activeSessions: gauge(names.activeSessions, "Active sessions"),
    population: gauge(
      names.population,
      "Active users: visiting, resting or eligible to return; in shop only visiting",
    ),
    modelTime: gauge(names.modelTime, "Model time, Unix seconds"),
    clampedTicks: counter(names.clampedTicks, "Ticks limited by the minimum or maximum budget"),
    rejectedSessions: counter(names.rejectedSessions, "Sessions rejected by the caps"),
    backfillProgress: gauge(names.backfillProgress, "Written share of the history, 0 to 1"),
    state: gauge(names.state, `Current state: ${STATES}`),
    due: gauge(names.due, "1 if batches are due, 0 if the generator is idle on purpose"),
    startedAt: gauge(names.startedAt, "Unix time at which the process started"),
    tickSeconds: gauge(names.tickSeconds, "Interval between two batches, seconds"),
    buildInfo: new Gauge({
      name: names.buildInfo,
      help: "Always 1; the labels describe the build",
      labelNames: ["node", "state_version"],
      registers,
    }),
  };
  // Initialises all series, so that zero differs from no data.
  for (const topic of EVENT_TOPICS) {
    metrics.events.inc({ topic }, 0);
    metrics.publishErrors.inc({ topic }, 0);
  }
  metrics.startedAt.set(Date.now() / 1000);
  metrics.buildInfo.set({ node: process.version, state_version: "3" }, 1);
  return metrics;
}

export type Metrics = ReturnType<typeof makeMetrics>;
