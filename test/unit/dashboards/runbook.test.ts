import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type AlertRule, slugOf } from "../../../dashboards/alerts/rule.ts";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import { annotationsOf } from "../../../dashboards/delivery/annotations.ts";
import {
  type DrillResult,
  isCurrent,
  isPlausible,
  readDrills,
  recordDrills,
  ruleDigest,
} from "../../../dashboards/drills/results.ts";
import { alertSections, drillRows } from "../../../scripts/reference/alerts.ts";

const anchors = alertSections().map((section) =>
  (/^### (.+)$/m.exec(section)?.[1] ?? "").toLowerCase().replaceAll(" ", "-"),
);
const ruleOf = (name: string): AlertRule => {
  const rule = alertRules.find((one) => one.name === name);
  if (!rule) throw new Error(`no rule ${name}`);
  return rule;
};

test("the page of alerts has one section per alert, in the order of the rules, and every link works", () => {
  expect(anchors).toEqual(alertRules.map(({ name }) => slugOf(name)));
});

describe("every alert", () => {
  test.each(alertRules.map((rule) => [rule.name, rule] as const))(
    "%s has a description of one or two sentences with the next command",
    (_, rule) => {
      expect(rule.hint).toMatch(/`[^`]+`|page \(/);
      expect(rule.hint).toMatch(/\.$/);
      expect(rule.hint.length).toBeLessThan(260);
      // Grafana and Prometheus would parse it as a template.
      expect(rule.hint).not.toContain("{{");
    },
  );

  test("has a link if the page's address is known, otherwise the path in another annotation", () => {
    const rule = ruleOf("BrokerDown");
    const address = "https://one.example/monitoring.md";
    expect(annotationsOf(rule, "1", address)).toEqual({
      summary: "1 brokers answer",
      hint: rule.hint,
      runbook_url: `${address}#broker-down`,
    });
    expect(annotationsOf(rule, "1", undefined)).toEqual({
      summary: "1 brokers answer",
      hint: rule.hint,
      runbook: "docs/reference/metrics-and-alerts.md#broker-down",
    });
  });
});

describe("results of drills", () => {
  const recorded = readDrills();

  test("exist for existing rules only, once each", () => {
    expect(drillRows().map(([name]) => name)).toEqual(alertRules.map(({ name }) => name));
    const names = alertRules.map(({ name }) => name);
    expect(Object.keys(recorded).filter((name) => !names.includes(name))).toEqual([]);
  });

  /** Tables of the docs equal drillRows: test/unit/contract/runbook.test.ts. */
  test.each(alertRules.map((rule) => [rule.name, rule] as const))(
    "%s: the times fit its rule, or the row notes that the rule has changed",
    (name, rule) => {
      const row = drillRows().find(([first]) => first === name) ?? [];
      const result = recorded[name];
      if (!isCurrent(rule, result)) return expect(row.join()).toMatch(/changed since|not drilled/);
      expect(row.join()).not.toMatch(/changed since|not drilled/);
      expect(result && isPlausible(rule, result)).toBe(true);
      if (rule.isSpecified) expect(result?.scale).toBe(1);
    },
  );

  test("are rejected if they are impossible", () => {
    const rule = ruleOf("BrokerDown");
    const times = { pending: 5, resolved: 1, scale: 1, on: "stack", date: "2026-01-01" } as const;
    const result = { ...times, rule: ruleDigest(rule) };
    expect(isPlausible(rule, { ...result, firing: 61 })).toBe(true);
    expect(isPlausible(rule, { ...result, firing: 59 })).toBe(false);
    expect(isPlausible(rule, { ...result, firing: 4, scale: 0.05 })).toBe(false);
    expect(isPlausible(rule, { ...result, firing: 61, pending: null })).toBe(false);
  });

  test("expire with a new condition or duration, but not with new texts", () => {
    const rule = ruleOf("DatabasePartsActiveHigh");
    const result = recorded[rule.name];
    expect(isCurrent({ ...rule, for: "9m" }, result)).toBe(false);
    expect(isCurrent({ ...rule, fires: { when: "above", threshold: 1 } }, result)).toBe(false);
    const signal = { ...rule.signal, expr: "1" };
    expect(isCurrent({ ...rule, signal }, result)).toBe(false);
    expect(isCurrent({ ...rule, hint: "" }, result)).toBe(true);
  });
});

describe("recording drills", () => {
  const folder = mkdtempSync(join(tmpdir(), "drills-"));
  const file = join(folder, "drills.json");
  const rule = ruleOf("BrokerDown");
  const show = (scale: number, on: DrillResult["on"], firing: number): void =>
    recordDrills([{ rule: rule.name, pending: 1, firing, resolved: 2 }], { scale, on }, file);
  const firing = (): number | undefined => readDrills(file)[rule.name]?.firing;
  beforeEach(() => rmSync(file, { force: true }));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("keeps results of a whole stack until a new run on a whole stack", () => {
    show(1, "stack", 70);
    show(0.05, "processes", 5);
    expect(firing()).toBe(70);
    show(1, "stack", 71);
    expect(firing()).toBe(71);
    expect(Object.keys(readDrills(file))).toEqual([rule.name]);
  });

  test("removes results of a changed rule", () => {
    show(1, "stack", 70);
    const [previous] = alertRules.filter(({ name }) => name === rule.name);
    expect(previous && isCurrent({ ...previous, for: "2m" }, readDrills(file)[rule.name])).toBe(
      false,
    );
    expect(readDrills(file)[rule.name]?.rule).toBe(ruleDigest(rule));
  });
});
