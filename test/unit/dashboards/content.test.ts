import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { slugOf, uidOf } from "../../../dashboards/alerts/rule.ts";
import { alertRules, rulesFor } from "../../../dashboards/alerts/rules.ts";
import { layout } from "../../../dashboards/dashboard.ts";
import { dashboardsFor } from "../../../dashboards/definitions/all.ts";
import { panelIdOf } from "../../../dashboards/delivery/grafana-rules.ts";
import { conditionOf, prometheusRules } from "../../../dashboards/delivery/prometheus.ts";
import { DASHBOARD_UIDS, DATASOURCE_UID } from "../../../dashboards/uids.ts";
import { content, everyJob } from "./content.ts";

const dashboards = dashboardsFor(everyJob);

describe("dashboards", () => {
  test("have stable uids for links and bookmarks, the home dashboard first", () => {
    expect(dashboards.map(({ uid }) => uid)).toEqual(Object.values(DASHBOARD_UIDS));
  });

  test.each(dashboards.map((dashboard) => [dashboard.uid, dashboard] as const))(
    "%s has no overlapping panels",
    (_, dashboard) => {
      const taken = new Set<string>();
      for (const { panels } of layout(dashboard)) {
        for (const { position, panel } of panels) {
          expect(position.x + position.w, panel.title).toBeLessThanOrEqual(24);
          for (let x = position.x; x < position.x + position.w; x += 1) {
            for (let y = position.y; y < position.y + position.h; y += 1) {
              expect(taken.has(`${x},${y}`), `${panel.title} at ${x},${y}`).toBe(false);
              taken.add(`${x},${y}`);
            }
          }
        }
      }
    },
  );

  test("have one unit per panel", () => {
    for (const { rows } of dashboards) {
      for (const { title, signals } of rows.flatMap(({ panels }) => panels)) {
        expect(new Set(signals.map(({ unit }) => unit)).size, title).toBe(1);
      }
    }
  });

  test("name the series of different signals differently", () => {
    for (const { rows } of dashboards) {
      for (const { title, signals } of rows.flatMap(({ panels }) => panels)) {
        expect(new Set(signals.map(({ legend }) => legend)).size, title).toBe(signals.length);
      }
    }
  });

  test("have a title, without which Grafana refuses the folder", () => {
    for (const { title, uid } of content().dashboards) expect(title, uid).toMatch(/\w/);
  });

  test("number every panel uniquely and use the only data source", () => {
    for (const { panels = [], title } of content().dashboards) {
      const ids = panels.map((panel) => ("id" in panel ? panel.id : undefined));
      expect(new Set(ids).size, title ?? "").toBe(panels.length);
      expect(
        JSON.stringify(panels)
          .match(/"uid":"[^"]+"/g)
          ?.every((uid) => uid.includes(DATASOURCE_UID)),
      ).toBe(true);
    }
  });

  test("use no job without a target", () => {
    for (const absent of everyJob) {
      const jobs = new Set([...everyJob].filter((job) => job !== absent));
      expect(JSON.stringify(content({ jobs }).dashboards), absent).not.toContain(
        `job=\\"${absent}\\"`,
      );
    }
  });

  test("alert on no job without a target: its last value would count for a week", () => {
    for (const absent of everyJob) {
      const jobs = new Set([...everyJob].filter((job) => job !== absent));
      const asked = rulesFor(jobs).filter(({ signal }) => signal.expr.includes(`job="${absent}"`));
      expect(
        asked.map(({ name }) => name),
        absent,
      ).toEqual([]);
    }
  });

  test("a stack without a scheduler has neither its dashboard nor its rules", () => {
    const jobs = new Set([...everyJob].filter((job) => job !== "scheduler"));
    const { dashboards, rules } = content({ jobs });
    expect(dashboards.map(({ uid }) => uid)).not.toContain(DASHBOARD_UIDS.scheduler);
    expect(JSON.stringify([dashboards, rules])).not.toContain("airflow");
  });
});

describe("alert rules", () => {
  test("have unique uids and names", () => {
    expect(new Set(alertRules.map(uidOf)).size).toBe(alertRules.length);
    expect(slugOf("BrokerConsumerLagHigh")).toBe("broker-consumer-lag-high");
  });

  test("have the required conditions and durations", () => {
    const stated = alertRules.map((rule) => [
      rule.name,
      rule.fires.when,
      rule.fires.threshold,
      rule.for,
    ]);
    const required = [
      ["DatabaseFailedQueries", "above", 0, "2m"],
      ["DatabaseMemoryResidentHigh", "above", 85, "5m"],
      ["DatabasePartsActiveHigh", "above", 500, "10m"],
      ["BrokerDown", "below", 1, "1m"],
      ["BrokerConsumerLagHigh", "above", 10_000, "5m"],
      ["BrokerNoMessagesProduced", "below", 0.1, "10m"],
    ];
    expect(stated).toEqual(expect.arrayContaining(required));
  });

  test.each(alertRules.map((rule) => [rule.name, rule] as const))(
    "%s is drawn on its dashboard",
    (_, rule) => expect(panelIdOf(rule, dashboards)).toBeGreaterThan(0),
  );

  test("define their state without data", () => {
    const condition = (wanted: string) =>
      alertRules
        .filter(({ name }) => name === wanted)
        .map(conditionOf)
        .join();
    expect(condition("TargetDown")).toMatch(/^\(\(.*\) > 0\) or absent\(.*\)$/);
    // They return 0 for a missing series, so that the panel is red and the summary has its number.
    expect(condition("BrokerDown")).toMatch(/^\(.* or vector\(0\)\) < 1$/);
    expect(condition("SchedulerDown")).toMatch(/^\(.* or vector\(0\)\) < 1$/);
  });

  test("scale every duration and no number", () => {
    const rules = parse(prometheusRules(alertRules, { scale: 0.1 })) as {
      groups: { interval: string; rules: { alert: string; expr: string; for: string }[] }[];
    };
    const byName = new Map(
      rules.groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]),
    );
    expect(rules.groups[0]?.interval).toBe("1s");
    expect(byName.get("BrokerNoMessagesProduced")).toMatchObject({ for: "60s" });
    expect(byName.get("BrokerNoMessagesProduced")?.expr).toContain("[30s]");
    expect(byName.get("BrokerConsumerLagHigh")?.expr).toContain("> 10000");
    expect(byName.get("DatabaseDiskFullForeseen")?.expr).toContain("[2160s], 86400)");
    expect(byName.get("SchedulerTaskFailures")?.expr).toContain("offset 30s");
  });
});
