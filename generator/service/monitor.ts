import { generatorStates } from "../../contract/metrics.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { isoMicros, SECOND } from "../../contract/time.ts";
import type { PublishError } from "../../kafka/errors.ts";
import type { Watcher } from "../operations/context.ts";
import type { OutgoingBatch } from "../operations/retrying-publisher.ts";
import type { GeneratorRun } from "../run.ts";
import type { Log } from "./log.ts";
import { type Metrics, makeMetrics } from "./metrics.ts";
import { areBatchesDue, type ServiceState } from "./state.ts";

interface Trouble {
  /** Wall-clock time, ms since the Unix epoch. */
  readonly at: number;
  readonly message: string;
}

export class Monitor implements Watcher {
  readonly metrics: Metrics = makeMetrics();
  readonly #log: Log;
  #run: GeneratorRun | undefined;
  #counted = { clampedTicks: 0, rejectedSessions: 0 };
  #batches = 0;
  #progress: number | null = null;
  #hasWarned = false;
  #lastSuccess: number | null = null;
  #lastError: Trouble | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Wall-clock time, ms since the Unix epoch; null before the first batch. */
  get lastSuccess(): number | null {
    return this.#lastSuccess;
  }

  get lastError(): Trouble | null {
    return this.#lastError;
  }

  committed({ batch, record }: OutgoingBatch, repeats: number): void {
    const { events, lastSuccess } = this.metrics;
    for (const stream of STREAMS) {
      events.inc({ topic: streams[stream].topic }, batch[stream].values.length);
    }
    this.#batches = record.batches;
    this.#lastSuccess = Date.now();
    lastSuccess.set(this.#lastSuccess / 1000);
    if (repeats > 0)
      this.#log.warn("batch committed after failures", { repeats, batch: record.batches });
  }

  refused({ topics }: PublishError): void {
    for (const topic of Object.keys(topics)) {
      if (isEventTopic(topic)) this.metrics.publishErrors.inc({ topic });
    }
  }

  troubled(error: Error): void {
    this.#lastError = { at: Date.now(), message: error.message };
    this.#log.warn(error.message);
  }

  advanced(run: GeneratorRun): void {
    const { simulation } = run;
    const { metrics } = this;
    const { clampedTicks, rejectedSessions } = simulation.counters;
    // Another run has other counters, so the differences start again.
    if (run !== this.#run) this.#counted = { clampedTicks, rejectedSessions };
    this.#run = run;
    metrics.clampedTicks.inc(clampedTicks - this.#counted.clampedTicks);
    metrics.rejectedSessions.inc(rejectedSessions - this.#counted.rejectedSessions);
    if (clampedTicks > this.#counted.clampedTicks) this.#warnOfClamping();
    this.#counted = { clampedTicks, rejectedSessions };
    metrics.coefficient.set(simulation.coefficient);
    metrics.targetRate.set(simulation.targetRate);
    metrics.activeSessions.set(simulation.activeSessions);
    metrics.population.set(simulation.population);
    metrics.modelTime.set(simulation.modelTime / SECOND);
  }

  ticked(seconds: number): void {
    this.metrics.tickDuration.observe(seconds);
  }

  progressed(ratio: number): void {
    this.#progress = ratio;
    this.metrics.backfillProgress.set(ratio);
  }

  exposition(state: ServiceState): Promise<string> {
    this.metrics.state.set(generatorStates[state.kind]);
    this.metrics.due.set(areBatchesDue(state) ? 1 : 0);
    return this.metrics.registry.metrics();
  }

  view() {
    return {
      batches: this.#batches,
      progress: this.#progress,
      last_success_at:
        this.#lastSuccess === null ? null : new Date(this.#lastSuccess).toISOString(),
      last_error: this.#lastError && {
        ...this.#lastError,
        at: new Date(this.#lastError.at).toISOString(),
      },
      model: this.#run ? modelView(this.#run) : null,
    };
  }

  #warnOfClamping(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#log.warn(
      "a tick's budget was limited by GEN_MIN_EVENTS_PER_TICK or GEN_MAX_EVENTS_PER_TICK; later ticks are only counted",
    );
  }
}

const isEventTopic = (topic: string): boolean =>
  STREAMS.some((stream) => streams[stream].topic === topic);

const modelView = ({ simulation }: GeneratorRun) => ({
  model_time: isoMicros(simulation.modelTime),
  coefficient: simulation.coefficient,
  active_sessions: simulation.activeSessions,
  population: simulation.population,
  page_events: simulation.counters.events,
  sessions: simulation.counters.sessions,
  clamped_ticks: simulation.counters.clampedTicks,
  rejected_sessions: simulation.counters.rejectedSessions,
});
