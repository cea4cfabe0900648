import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import { readMonitoring } from "../../../dashboards/checks/endpoints.ts";
import { querySignals } from "../../../dashboards/checks/queries.ts";
import { reload } from "../../../dashboards/checks/reload.ts";
import { checkMonitoring } from "../../../dashboards/checks/services.ts";
import { type Breakage, drill } from "../../../dashboards/drills/drill.ts";
import { JOB_NAMES } from "../../../dashboards/promql.ts";
import { fakeHttp } from "./fake-http.ts";

// Waits return at once, but advance the clock.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number, _: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    signal?.throwIfAborted();
    vi.setSystemTime(Date.now() + ms);
  },
}));
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));

afterEach(() => void vi.useRealTimers());

const monitoringOf = (metricsUrl: string, grafanaUrl?: string) =>
  readMonitoring({
    METRICS_URL: metricsUrl,
    METRICS_CONTAINER: "none",
    GRAFANA_PASSWORD: "of-the-admin",
    ...(grafanaUrl ? { GRAFANA_URL: grafanaUrl } : {}),
  });

describe("reloading Grafana", () => {
  test("reloads data sources, dashboards and alerts as the administrator", async () => {
    const grafana = await fakeHttp(() => ({ body: { message: "reloaded" } }));
    await reload(monitoringOf("http://127.0.0.1:1", grafana.url), ["dashboards"]);
    expect(grafana.seen).toEqual(
      ["datasources", "dashboards", "alerting"].map((part) => ({
        method: "POST",
        path: `/api/admin/provisioning/${part}/reload`,
        authorization: `Basic ${Buffer.from("admin:of-the-admin").toString("base64")}`,
      })),
    );
  });

  test("reports Grafana's message if it refuses", async () => {
    const grafana = await fakeHttp(() => ({ status: 500, body: { message: "rule x: bad" } }));
    const reloaded = reload(monitoringOf("http://127.0.0.1:1", grafana.url), ["dashboards"]);
    await expect(reloaded).rejects.toThrow(/datasources\/reload: 500 .*rule x: bad/);
  });

  test("names the address that does not answer", async () => {
    const reloaded = reload(monitoringOf("http://127.0.0.1:1"), ["metrics"]);
    await expect(reloaded).rejects.toThrow("Prometheus at http://127.0.0.1:1 does not answer");
  });
});

test("outside of a stack it names the missing variables", () => {
  expect(() => readMonitoring({})).toThrow(UserError);
});

test("the check compares the stack's rules in both directions, ignores others, and explains failing targets", async () => {
  const prometheus = await fakeHttp((path) => ({
    body: path.includes("/targets")
      ? {
          data: {
            activeTargets: [
              { labels: { job: "broker" }, health: "down", lastError: "refused" },
              { labels: { job: "database" }, health: "up", lastError: "" },
            ],
          },
        }
      : {
          data: { groups: [{ rules: [{ name: "A" }, { name: "B" }] }, { rules: [{ name: "C" }] }] },
        },
  }));
  const uids = ["eps-a", "eps-c", "eps-previous", "made-by-hand"];
  const grafana = await fakeHttp(() => ({ body: uids.map((uid) => ({ uid })) }));
  expect(await checkMonitoring(monitoringOf(prometheus.url, grafana.url), 0)).toEqual({
    down: new Map([["broker", "refused"]]),
    rules: ["A", "B", "C"],
    grafana: {
      present: ["eps-a", "eps-c", "eps-previous"],
      missing: ["eps-b"],
      stale: ["eps-previous"],
    },
  });
});

test("queries every expression of dashboards and rules once, and reports empty results", async () => {
  const asked: string[] = [];
  const prometheus = await fakeHttp((path) => {
    const expr = new URLSearchParams(path.split("?")[1]).get("query") ?? "";
    asked.push(expr);
    const result = expr.includes("kafka_brokers") ? [] : [{ metric: {}, value: [0, "1"] }];
    return { body: { data: { result } } };
  });
  const answers = await querySignals(prometheus.url, new Set(JOB_NAMES));
  expect(answers.filter(({ series }) => series === 0).map(({ signal }) => signal.name)).toEqual([
    "Brokers up",
  ]);
  expect(new Set(asked).size).toBe(asked.length);
  for (const { signal, name } of alertRules) expect(asked, name).toContain(signal.expr);
  expect(asked.length).toBeGreaterThan(60);
});

test.each(JOB_NAMES)("without %s nothing queries it, including rules", async (absent) => {
  const asked: string[] = [];
  const prometheus = await fakeHttp((path) => {
    asked.push(new URLSearchParams(path.split("?")[1]).get("query") ?? "");
    return { body: { data: { result: [] } } };
  });
  const jobs = JOB_NAMES.filter((job) => job !== absent);
  await querySignals(prometheus.url, new Set(jobs));
  expect(asked.filter((expr) => expr.includes(`job="${absent}"`))).toEqual([]);
});

describe("a drill", () => {
  const [rule] = alertRules;
  if (!rule) throw new Error("no rules");

  /** A Prometheus whose alert is in these states, one per request. */
  const goingThrough = (...states: readonly string[]) => {
    let asked = 0;
    return fakeHttp(() => {
      const state = states[Math.min(asked++, states.length - 1)];
      const alerts = state === "-" ? [] : [{ labels: { alertname: rule.name }, state }];
      return { body: { data: { alerts } } };
    });
  };
  const breakage = (): Breakage & { readonly done: string[] } => {
    const done: string[] = [];
    return {
      done,
      start: async () => void done.push("broken"),
      undo: async () => void done.push("undone"),
    };
  };

  test("causes the failure, sees the alert pending and firing, restores, and sees it resolved", async () => {
    const { url } = await goingThrough("-", "-", "pending", "firing", "-");
    const broken = breakage();
    const states: string[] = [];
    const times = await drill(rule, broken, {
      metricsUrl: url,
      withinMs: 10_000,
      onState: (state) => states.push(state),
    });
    expect(times).toMatchObject({ rule: rule.name, resolved: expect.any(Number) });
    expect(states).toEqual(["pending", "firing", "resolved"]);
    expect(broken.done).toEqual(["broken", "undone"]);
  });

  test("changes nothing if the alert is already active", async () => {
    const { url } = await goingThrough("firing");
    const broken = breakage();
    await expect(drill(rule, broken, { metricsUrl: url, withinMs: 1_000 })).rejects.toThrow(
      /already active/,
    );
    expect(broken.done).toEqual([]);
  });

  test("waits for an alert of an earlier drill before it changes anything", async () => {
    const { url } = await goingThrough("firing", "-", "pending", "firing", "-");
    const broken = breakage();
    await drill(rule, broken, { metricsUrl: url, withinMs: 10_000, settleMs: 10_000 });
    expect(broken.done).toEqual(["broken", "undone"]);
  });

  test("reports an alert that does not resolve, and changes nothing", async () => {
    const { url } = await goingThrough("firing");
    const broken = breakage();
    await expect(
      drill(rule, broken, { metricsUrl: url, withinMs: 10_000, settleMs: 500 }),
    ).rejects.toThrow(/did not become inactive within/);
    expect(broken.done).toEqual([]);
  });

  test("restores at once when it is interrupted", async () => {
    const { url } = await goingThrough("-");
    const broken = breakage();
    const controller = new AbortController();
    const { signal } = controller;
    const drilled = drill(rule, broken, { metricsUrl: url, withinMs: 600_000, signal });
    setTimeout(() => controller.abort(), 20);
    await expect(drilled).rejects.toThrow(/interrupted/);
    expect(broken.done).toEqual(["broken", "undone"]);
  });

  test("reports the first error, also if the restoration fails", async () => {
    const { url } = await goingThrough("-");
    const broken: Breakage = {
      start: async () => Promise.reject(new Error("the engine is gone")),
      undo: async () => Promise.reject(new Error("still gone")),
    };
    await expect(drill(rule, broken, { metricsUrl: url, withinMs: 500 })).rejects.toThrow(
      /the engine is gone\n.*could not undo its change: still gone/,
    );
  });

  test("restores if the alert does not fire", async () => {
    const { url } = await goingThrough("-");
    const broken = breakage();
    await expect(drill(rule, broken, { metricsUrl: url, withinMs: 500 })).rejects.toThrow(
      /did not become pending/,
    );
    expect(broken.done).toEqual(["broken", "undone"]);
  });
});
