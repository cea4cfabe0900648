import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AlertRule } from "../../dashboards/alerts/rule.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { activeAlerts, query } from "../../dashboards/checks/prometheus.ts";
import {
  breakageOf,
  type DrillTarget,
  Feeder,
  type Stoppable,
} from "../../dashboards/drills/breakages.ts";
import { type DrillTimes, drill, drillTable } from "../../dashboards/drills/drill.ts";
import { recordDrills } from "../../dashboards/drills/results.ts";
import { waitFor } from "../kafka/harness.ts";
import { airflowLines } from "./airflow-lines.ts";
import {
  startPrometheus,
  startStatsdExporter,
  TestPipeline,
  type TestStatsd,
} from "./environment.ts";
import { freePort, TestService } from "./services.ts";
import { waitForAnswer } from "./wait-for-answer.ts";

const PROGRAM = join(import.meta.dirname, "../../dashboards/delivery/alert-log.mjs");
/**
 * Factor for every duration of a rule: ten minutes become half a minute. The scaled one-week
 * lookback must exceed the unscaled thresholds, in seconds.
 */
const SCALE = Number(process.env.DRILL_SCALE ?? 0.05);
/**
 * Scrape interval and time-out. Two seconds suit a busy machine, and three scrapes fit into the
 * shortest window, of which `increase` needs two.
 */
const SCRAPE_SECONDS = 2;
/** Longest wait for an alert state, milliseconds: two minutes, or a rule's window and duration. */
const WITHIN_MS = Math.max(280_000, SCALE * 3_600_000);
const named = process.env.DRILL_ALERTS?.split(",");
const chosen = alertRules.filter(({ name }) => named?.includes(name) ?? true);

let log: TestService;
let environment: NodeJS.ProcessEnv;
let statsd: TestStatsd;
let system: TestPipeline;
let drillTarget: DrillTarget;
let prometheus: TestService;
let heartbeat: NodeJS.Timeout;

beforeAll(async () => {
  const port = await freePort();
  environment = { ...process.env, ALERT_LOG_PORT: String(port) };
  log = await TestService.start(
    process.execPath,
    "/healthz",
    {},
    () => [PROGRAM],
    port,
    (folder) => {
      environment.ALERT_LOG_FED = join(folder, "drill.json");
      return environment;
    },
  );
  statsd = await startStatsdExporter();
  const beating = airflowLines.find((line) => line.includes("heartbeat")) ?? "";
  heartbeat = setInterval(() => void statsd.send(beating), 300);
  system = await TestPipeline.open({ scheduler: statsd.service.target, drill: log.target });
  // Scale the rule as the stack renders it.
  const scrapeSeconds = SCALE === 1 ? null : SCRAPE_SECONDS;
  prometheus = await startPrometheus(system.targets, system.password, {
    scale: SCALE,
    scrapeSeconds,
  });
  drillTarget = {
    services: { broker: system.services.broker, generator: shared(system.services.generator) },
    databaseUrl: system.databaseUrl,
    feeder: new Feeder([
      "env",
      `ALERT_LOG_FED=${environment.ALERT_LOG_FED}`,
      process.execPath,
      PROGRAM,
      "feed",
    ]),
  };
});

afterAll(async () => {
  clearInterval(heartbeat);
  await prometheus?.stop();
  await system?.close();
  await statsd?.stop();
  await log?.stop();
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
  const tried: string[] = [];
  const results: DrillTimes[] = [];
  const run = async (rule: AlertRule): Promise<void> => {
    tried.push(rule.name);
    const breakage = breakageOf(rule, drillTarget);
    const times = await drill(rule, breakage, {
      metricsUrl: prometheus.url,
      withinMs: WITHIN_MS,
      // A target may be down until the restarted broker answers.
      settleMs: WITHIN_MS,
      onState: (state, s) => process.stdout.write(`${rule.name} ${state} ${s}\n`),
    });
    results.push(times);
  };
  /** Alerts that the stopped generator would trigger as well, and the drills that stop the most. */
  const alone = ["BrokerDown", "TargetDown"];
  const together = chosen.filter(({ name }) => !alone.includes(name));

  test("all alerts are inactive before", { timeout: WITHIN_MS + 120_000 }, async () => {
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

  test(
    "independent alerts fire and resolve, all at once",
    async () => {
      for (const outcome of await Promise.allSettled(together.map(run))) {
        const reason = outcome.status === "rejected" ? String(outcome.reason) : undefined;
        expect.soft(outcome.status, reason).toBe("fulfilled");
      }
    },
    3.5 * WITHIN_MS,
  );

  test(
    "BrokerDown and TargetDown fire and resolve, one after another",
    async () => {
      for (const rule of chosen.filter(({ name }) => alone.includes(name))) await run(rule);
    },
    7 * WITHIN_MS,
  );

  test("every alert has a drill", () => {
    process.stdout.write(`${drillTable(results)}\n`);
    if (process.env.DRILL_RECORD) recordDrills(results, { scale: SCALE, on: "processes" });
    expect(tried.toSorted()).toEqual(chosen.map(({ name }) => name).toSorted());
  });
});

describe("the alert log", () => {
  const post = (body: string): Promise<Response> =>
    fetch(`${log.url}/alerts`, { method: "POST", body });

  test("writes one line per alert, as Grafana sends them", async () => {
    const alert = {
      status: "resolved",
      labels: {
        alertname: "TargetDown",
        severity: "critical",
        job: "broker",
        grafana_folder: "Event pipeline",
        __alert_rule_uid__: "eps-target-down",
      },
      annotations: {
        summary: "1 does not answer",
        hint: "make ps",
        runbook_url: "https://one.example/monitoring.md#target-down",
      },
      startsAt: "2026-01-01T00:00:00Z",
      endsAt: "2026-01-01T00:05:00Z",
    };
    expect((await post(JSON.stringify({ alerts: [alert] }))).status).toBe(204);
    await waitFor("the line is written", async () => log.output.includes("TargetDown"));
    expect(JSON.parse(log.output.trim().split("\n").at(-1) ?? "")).toEqual({
      status: "resolved",
      alert: "TargetDown",
      severity: "critical",
      labels: { job: "broker" },
      summary: "1 does not answer",
      startsAt: "2026-01-01T00:00:00Z",
      endsAt: "2026-01-01T00:05:00Z",
      hint: "make ps",
      runbook: "https://one.example/monitoring.md#target-down",
    });
  });

  test("keeps unreadable lines, refuses long ones, and serves no other page", async () => {
    expect((await post("not JSON")).status).toBe(204);
    await waitFor("the line is written", async () => log.output.includes("not JSON"));
    expect((await post("x".repeat(2 * 1024 * 1024)).catch(() => ({ status: 413 }))).status).toBe(
      413,
    );
    expect((await fetch(`${log.url}/other`)).status).toBe(404);
  });
});
