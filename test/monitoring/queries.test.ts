import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generatorMetrics } from "../../contract/metrics.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { query, ruleNames, targetsOf } from "../../dashboards/checks/prometheus.ts";
import { dashboardsFor } from "../../dashboards/definitions/all.ts";
import { writePictures } from "../../dashboards/pictures/write.ts";
import { EVERY_JOB, JOB_NAMES } from "../../dashboards/promql.ts";
import type { Signal } from "../../dashboards/signal.ts";
import { generator } from "../../dashboards/signals/generator.ts";
import { until } from "../kafka/harness.ts";
import { usedMetrics } from "../support/metric-names.ts";
import type { TestPipeline } from "./environment.ts";
import { exporterNames, isAsynchronous, isDocumented } from "./recorded/read.ts";
import type { TestService } from "./services.ts";
import { untilSeen } from "./until-seen.ts";
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
  // Silence is judged only where Prometheus has looked for as long as it may last.
  const { expr } = generator.silenceWhileEnabled;
  await until("Prometheus has run for two minutes", () => watched.has(expr), 180_000);
  // Growth over a window needs a second sample after the first.
  const since = Date.now();
  const answeredTwice = () => {
    const seconds = Math.max(1, Math.floor((Date.now() - since) / 1_000));
    return `count(sum_over_time(up{${EVERY_JOB}}[${seconds}s]) >= 2) == ${JOB_NAMES.length}`;
  };
  await until("every target has answered twice", () => has(answeredTwice()), 120_000);
});

afterAll(() => watched?.close());

const has = (expr: string): Promise<boolean> => watched.has(expr);

test("all targets but those left out on purpose are up", async () => {
  const down = async () => {
    const targets = await targetsOf(prometheus.url);
    return targets.filter(({ health }) => health !== "up").map(({ labels }) => labels.job);
  };
  // One that once answered too late is down until it is asked again.
  const seen = await untilSeen("the targets are up", down, (jobs) => jobs.length <= 1);
  expect(seen).toEqual(["drill"]);
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

describe("every rule's query gives data", () => {
  test.each(alertRules.map((rule) => [rule.name, rule] as const))("%s", async (_, rule) => {
    expect(await has(rule.signal.expr), rule.signal.expr).toBe(true);
  });
});

describe("each dashboard is drawn", () => {
  test.each(dashboards.map((dashboard) => [dashboard.uid, dashboard] as const))(
    "%s",
    async (_, dashboard) => {
      const to = Math.floor(Date.now() / 1000);
      const folder = join(prometheus.folder, "pictures");
      const span = { from: to - 240, to, step: 2 };
      const [file = ""] = await writePictures(prometheus.url, [dashboard], folder, span);
      const text = readFileSync(file, "utf8");
      const charts = dashboard.rows
        .flatMap((row) => row.panels)
        .filter(({ kind }) => kind === "lines" || kind === "stacked");
      expect(text).not.toContain("No data");
      expect(text.match(/<svg/g)).toHaveLength(charts.length);
    },
  );
});

describe("what the numbers say", () => {
  const value = async (expr: string): Promise<number> =>
    Number((await query(prometheus.url, expr))[0]?.value[1]);
  const signal = (name: string): Signal => {
    const found = drawn.find(([, one]) => one.name === name)?.[1];
    if (!found) throw new Error(`no signal ${name}`);
    return found;
  };

  /** Resolves when Prometheus has what the layers reported after this time, Unix seconds. */
  const untilScraped = (time: number) =>
    until(
      "a scrape of the layers",
      () => has(`timestamp(pipeline_newest_ingestion_timestamp_seconds{layer="dm"}) > ${time}`),
      120_000,
    );

  test("nothing is unaccounted for and no event lost its click", async () => {
    expect(await value(signal("Unaccounted messages").expr)).toBe(0);
    expect(await value(signal("Orphan events").expr)).toBe(0);
  });

  test("the layers are as fresh as their loads", async () => {
    // The one that made them may be long ago by now.
    await system.transform();
    await untilScraped(Date.now() / 1_000);
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
      expect(Number(age)).toBeLessThan(300);
    }
  });

  test("states add up to what stg holds", async () => {
    // Asked at once: messages come in between two scrapes.
    const samples = await query(
      prometheus.url,
      'sum by (state) (pipeline_messages{job="pipeline"})',
    );
    const states = new Map(samples.map(({ metric, value: [, n] }) => [metric.state, Number(n)]));
    const state = (name: string): number => states.get(name) ?? Number.NaN;
    expect(state("typed") + state("rejected") + state("pending")).toBe(state("raw"));
    expect(state("rejected")).toBeGreaterThan(0);
  });

  test("the injected defects stand among the reasons", async () => {
    const samples = await query(prometheus.url, signal("Marked messages by reason").expr);
    const reasons = samples.map(({ metric }) => metric.reason);
    expect(reasons).toContain("malformed_json");
    // A late event is late by a quarter of an hour; a bad place shows at once.
    expect(reasons.filter((reason) => /^bad_|^country_/.test(reason ?? ""))).not.toEqual([]);
  });

  test("the target is the configured rate at the hour's coefficient", async () => {
    expect(await value(signal("Target of page events/min").expr)).toBe(
      600 * (await value(signal("Daily coefficient").expr)),
    );
  });

  test("the generator tells the tick it was given, by which its silence is judged", async () => {
    expect(await value(generatorMetrics.tickSeconds)).toBe(1);
  });

  test("hardly a message is between broker and stg", async () => {
    const { expr } = signal("Messages between broker and stg");
    const FEW = 500;
    const between = await untilSeen(
      "stg keeps up",
      () => value(expr),
      (n) => n < FEW,
    );
    expect(between).toBeLessThan(FEW);
  });
});

describe("every metric name is exported by the real thing, or recorded with its source", () => {
  const used = usedMetrics();

  test("the list is not empty", () => expect(used.size).toBeGreaterThan(60));

  test.each([...used].filter(([, job]) => job !== "broker"))("%s of %s", async (name) => {
    // Where the machine has no memory limit, there is none to tell.
    if (!isAsynchronous(name)) expect(await has(name)).toBe(true);
    else expect(isDocumented(name)).toBe(true);
  });

  test("the broker's are kafka_exporter's own", () => {
    const broker = [...used].filter(([, job]) => job === "broker").map(([name]) => name);
    expect(broker.filter((name) => !exporterNames.has(name))).toEqual([]);
  });

  test("the embedded engine tells no asynchronous metric that a server does not", async () => {
    const text = await (await fetch(`http://${system.targets.database}/metrics`)).text();
    const names = [...text.matchAll(/^(\w+)[{ ]/gm)].map((match) => match[1] ?? "");
    const asynchronous = names.filter(isAsynchronous);
    expect(asynchronous.length).toBeGreaterThan(15);
    expect(asynchronous.filter((name) => !isDocumented(name))).toEqual([]);
  });

  test("the replacement reports no name that kafka_exporter does not", async () => {
    const text = await (await fetch(`http://${system.targets.broker}/metrics`)).text();
    const names = new Set([...text.matchAll(/^(\w+)[{ ]/gm)].map((match) => match[1] ?? ""));
    expect([...names].filter((name) => !exporterNames.has(name))).toEqual([]);
    expect(names.size).toBeGreaterThan(10);
  });
});
