import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { activeAlerts, query } from "../../dashboards/checks/prometheus.ts";
import {
  breakageOf,
  type DrilledRule,
  type DrillTarget,
  hasDrill,
  type Stoppable,
} from "../../dashboards/drills/breakages.ts";
import { type DrillTimes, drill, drillTable } from "../../dashboards/drills/drill.ts";
import { waitFor } from "../kafka/harness.ts";
import { itLong } from "../support/long-cases.ts";
import { IS_EXHAUSTIVE } from "../support/sample.ts";
import { airflowLines } from "./airflow-lines.ts";
import {
  startPrometheus,
  startStatsdExporter,
  TestPipeline,
  type TestStatsd,
} from "./environment.ts";
import type { TestService } from "./services.ts";
import { waitForAnswer } from "./wait-for-answer.ts";

/**
 * Factor for every duration of a rule: ten minutes become half a minute. The scaled one-week
 * lookback must exceed the unscaled thresholds, in seconds.
 */
const SCALE = 0.05;
/**
 * Scrape interval and time-out. Two seconds suit a busy machine, and three scrapes fit into the
 * shortest window, of which `increase` needs two.
 */
const SCRAPE_SECONDS = 2;
/** Longest wait for an alert state, milliseconds. */
const WITHIN_MS = 280_000;
/** The drills that interrupt least; `make test-long` runs all. */
const SAMPLE = ["DatabaseFailedQueries", "SchedulerDown"];
const drilled = alertRules
  .filter(hasDrill)
  .filter(({ name }) => IS_EXHAUSTIVE || SAMPLE.includes(name));

let statsd: TestStatsd;
let system: TestPipeline;
let target: DrillTarget;
let prometheus: TestService;
let heartbeat: NodeJS.Timeout;

beforeAll(async () => {
  statsd = await startStatsdExporter();
  const beating = airflowLines.find((line) => line.includes("scheduler_heartbeat")) ?? "";
  // The only sign of Airflow's life on which a rule depends.
  const scheduler: Stoppable = {
    start: async () => {
      heartbeat = setInterval(() => void statsd.send(beating), 300);
    },
    stop: async () => clearInterval(heartbeat),
  };
  await scheduler.start();
  system = await TestPipeline.open(statsd.service.target);
  prometheus = await startPrometheus(system.targets, system.password, {
    scale: SCALE,
    scrapeSeconds: SCRAPE_SECONDS,
  });
  const { broker: kafka, generator } = system.services;
  const broker = shared(kafka);
  target = {
    services: { broker, generator: shared(generator), scheduler },
    databaseUrl: system.databaseUrl,
    collectorUrl: system.collectorUrl,
  };
});

afterAll(async () => {
  clearInterval(heartbeat);
  await prometheus?.stop();
  await system?.close();
  await statsd?.stop();
});

/**
 * The first drill that needs a service stops it; the last one starts it after its alert has fired.
 */
function shared({ stop, start }: Stoppable): Stoppable {
  let users = 0;
  let changing: Promise<void> = Promise.resolve();
  return {
    stop: () => {
      users += 1;
      if (users === 1) changing = changing.then(stop);
      return changing;
    },
    start: () => {
      users -= 1;
      if (users === 0) changing = changing.then(start);
      return changing;
    },
  };
}

describe("the drills of make drill, on a live Prometheus over a running pipeline", () => {
  const results: DrillTimes[] = [];
  const run = async (rule: DrilledRule): Promise<void> => {
    const times = await drill(rule, breakageOf(rule, target), {
      metricsUrl: prometheus.url,
      withinMs: WITHIN_MS,
      // A target may be down until the restarted broker answers.
      settleMs: WITHIN_MS,
      onState: (state, s) => process.stdout.write(`${rule.name} ${state} ${s}\n`),
    });
    results.push(times);
  };
  /** Without a broker the generator publishes nothing, so its alerts fire as well. */
  const isAlone = ({ drill }: DrilledRule): boolean =>
    drill.kind === "stop" && drill.service === "broker";

  test("all alerts are inactive before", async () => {
    // Prometheus must have scraped a service once to miss it.
    await waitFor("the generator has reported a batch", async () => {
      const reported = await query(prometheus.url, "generator_last_success_timestamp > 0");
      return reported.length > 0;
    });
    const active = async () =>
      [
        ...new Set((await activeAlerts(prometheus.url)).map(({ labels }) => labels.alertname)),
      ].toSorted();
    const isQuiet = (names: readonly unknown[]): boolean => names.length === 0;
    expect(await waitForAnswer("all are quiet", active, isQuiet, WITHIN_MS)).toEqual([]);
  });

  test("independent alerts fire and resolve, all at once", async () => {
    const independent = drilled.filter((rule) => !isAlone(rule));
    expect(independent.length).toBeGreaterThanOrEqual(SAMPLE.length);
    for (const outcome of await Promise.allSettled(independent.map(run))) {
      const reason = outcome.status === "rejected" ? String(outcome.reason) : undefined;
      expect.soft(outcome.status, reason).toBe("fulfilled");
    }
  });

  itLong("those that stop the broker fire and resolve, all at once", async () => {
    await Promise.all(drilled.filter(isAlone).map(run));
    process.stdout.write(`${drillTable(results)}\n`);
  });
});
