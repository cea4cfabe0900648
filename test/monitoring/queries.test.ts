import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generatorMetrics } from "../../contract/metrics.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { query, ruleNames, targetsOf } from "../../dashboards/checks/prometheus.ts";
import { dashboardsFor } from "../../dashboards/definitions/all.ts";
import { EVERY_JOB, JOB_NAMES } from "../../dashboards/promql.ts";
import type { Signal } from "../../dashboards/signal.ts";
import { collector } from "../../dashboards/signals/collector.ts";
import { generator } from "../../dashboards/signals/generator.ts";
import { waitFor } from "../kafka/harness.ts";
import { usedMetrics } from "../support/metric-names.ts";
import type { TestPipeline } from "./environment.ts";
import { exporterNames, isAsynchronous, isDocumented } from "./recorded/read.ts";
import type { TestService } from "./services.ts";
import { waitForAnswer } from "./wait-for-answer.ts";
import { WatchedPipeline } from "./watched.ts";

const dashboards = dashboardsFor(new Set(JOB_NAMES));
const panels = dashboards.flatMap(({ uid, rows }) =>
  rows.flatMap((row) => row.panels.map((panel) => ({ uid, panel }))),
);
const drawn = panels.flatMap(({ uid, panel }) =>
  panel.signals.map((signal) => [`${uid}, ${panel.title}: ${signal.name}`, signal] as const),
);

let watched: WatchedPipeline;
let system: TestPipeline;
let prometheus: TestService;

beforeAll(async () => {
  watched = await WatchedPipeline.open();
  ({ system, prometheus } = watched);
  // Silence alerts need scrapes for as long as their allowed silence.
  const { expr } = generator.silenceWhileEnabled;
  await waitFor("Prometheus has run for two minutes", () => watched.has(expr), 600_000);
  // A share of hits needs a hundred.
  for (let hit = 0; hit < 200; hit += 1) {
    await fetch(`${system.collectorUrl}/hit`, { method: "POST", body: "{}" });
  }
  await waitFor("Prometheus counts hits", () => watched.has(collector.badShare.expr), 600_000);
  // A rate needs a second sample after the first.
  const since = Date.now();
  const answeredTwice = () => {
    const seconds = Math.max(1, Math.floor((Date.now() - since) / 1_000));
    return `count(sum_over_time(up{${EVERY_JOB}}[${seconds}s]) >= 2) == ${JOB_NAMES.length}`;
  };
  await waitFor("every target has answered twice", () => has(answeredTwice()), 600_000);
});

afterAll(() => watched?.close());

const has = (expr: string): Promise<boolean> => watched.has(expr);

test("all targets are up", async () => {
  const down = async () => {
    const targets = await targetsOf(prometheus.url);
    return targets.filter(({ health }) => health !== "up").map(({ labels }) => labels.job);
  };
  // A target whose scrape timed out is down until the next scrape.
  const seen = await waitForAnswer("the targets are up", down, (jobs) => jobs.length === 0);
  expect(seen).toEqual([]);
});

test("Prometheus evaluates every rule", async () => {
  expect((await ruleNames(prometheus.url)).toSorted()).toEqual(
    alertRules.map(({ name }) => name).toSorted(),
  );
});

describe("no panel is empty", () => {
  test.each(drawn)("%s", async (_, signal) => {
    const samples = await query(prometheus.url, signal.expr);
    expect(samples.length, signal.expr).toBeGreaterThan(0);
    expect(
      samples.every(({ value }) => Number.isFinite(Number(value[1]))),
      JSON.stringify(samples),
    ).toBe(true);
  });
});

describe("every rule's query returns data", () => {
  test.each(alertRules.map((rule) => [rule.name, rule] as const))("%s", async (_, rule) => {
    expect(await has(rule.signal.expr), rule.signal.expr).toBe(true);
  });
});

describe("metric values", () => {
  const value = async (expr: string): Promise<number> =>
    Number((await query(prometheus.url, expr))[0]?.value[1]);
  const signal = (name: string): Signal => {
    const found = drawn.find(([, one]) => one.name === name)?.[1];
    if (!found) throw new Error(`no signal ${name}`);
    return found;
  };

  /** Resolves when Prometheus has values of the layers from after this time, Unix seconds. */
  const waitForScrape = (time: number) =>
    waitFor(
      "a scrape of the layers",
      () => has(`timestamp(pipeline_newest_ingestion_timestamp_seconds{layer="dm"}) > ${time}`),
      600_000,
    );

  test("no event is unaccounted for or without its click", async () => {
    expect(await value(signal("Unaccounted messages").expr)).toBe(0);
    expect(await value(signal("Orphan events").expr)).toBe(0);
  });

  test("the layers are as fresh as their loads", async () => {
    // The last load may be long past.
    await system.transform();
    await waitForScrape(Date.now() / 1_000);
    const samples = await query(prometheus.url, signal("Age of the newest data by layer").expr);
    expect(samples.map(({ metric }) => metric.layer).toSorted()).toEqual([
      "dds",
      "dm",
      "ods",
      "stg",
    ]);
    for (const {
      value: [, age],
    } of samples) {
      expect(Number(age)).toBeGreaterThan(-1);
      expect(Number(age)).toBeLessThan(1_800);
    }
  });

  test("message states add up to the rows of stg", async () => {
    // Query both at once, because messages arrive between two scrapes.
    const samples = await query(
      prometheus.url,
      'sum by (state) (pipeline_messages{job="pipeline"})',
    );
    const states = new Map(samples.map(({ metric, value: [, n] }) => [metric.state, Number(n)]));
    const state = (name: string): number => states.get(name) ?? Number.NaN;
    expect(state("typed") + state("rejected") + state("pending")).toBe(state("raw"));
    expect(state("rejected")).toBeGreaterThan(0);
  });

  test("the injected defects are among the reasons", async () => {
    const samples = await query(prometheus.url, signal("Marked messages by reason").expr);
    const reasons = samples.map(({ metric }) => metric.reason);
    expect(reasons).toContain("malformed_json");
    // A late event arrives up to a quarter of an hour later; a bad place is visible at once.
    expect(reasons.filter((reason) => /^bad_|^country_/.test(reason ?? ""))).not.toEqual([]);
  });

  test("the target rate is the configured rate times the hour's coefficient", async () => {
    expect(await value(signal("Target of page events/min").expr)).toBe(
      600 * (await value(signal("Daily coefficient").expr)),
    );
  });

  test("the generator exports its tick, which the silence alert uses", async () => {
    expect(await value(generatorMetrics.tickSeconds)).toBe(1);
  });

  test("almost no messages are between broker and stg", async () => {
    const { expr } = signal("Messages between broker and stg");
    const FEW = 500;
    const between = await waitForAnswer(
      "stg keeps up",
      () => value(expr),
      (n) => n < FEW,
    );
    expect(between).toBeLessThan(FEW);
  });
});

describe("the real program exports every metric name, or its source is recorded", () => {
  const used = usedMetrics();

  test("the list is not empty", () => expect(used.size).toBeGreaterThan(60));

  test.each([...used].filter(([, job]) => job !== "broker"))("%s of %s", async (name) => {
    // Without a memory limit there is no limit to export.
    if (!isAsynchronous(name)) expect(await has(name)).toBe(true);
    else expect(isDocumented(name)).toBe(true);
  });

  test("the broker's metrics are kafka_exporter's own", () => {
    const broker = [...used].filter(([, job]) => job === "broker").map(([name]) => name);
    expect(broker.filter((name) => !exporterNames.has(name))).toEqual([]);
  });

  test("the offline image exports only asynchronous metrics that a server has", async () => {
    const text = await (await fetch(`http://${system.targets.database}/metrics`)).text();
    const names = [...text.matchAll(/^(\w+)[{ ]/gm)].map((match) => match[1] ?? "");
    const asynchronous = names.filter(isAsynchronous);
    expect(asynchronous.length).toBeGreaterThan(11);
    expect(asynchronous.filter((name) => !isDocumented(name))).toEqual([]);
  });

  test("the replacement exports only names of kafka_exporter", async () => {
    const text = await (await fetch(`http://${system.targets.broker}/metrics`)).text();
    const names = new Set([...text.matchAll(/^(\w+)[{ ]/gm)].map((match) => match[1] ?? ""));
    expect([...names].filter((name) => !exporterNames.has(name))).toEqual([]);
    expect(names.size).toBeGreaterThan(10);
  });
});
