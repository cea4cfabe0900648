import { describe, expect, test } from "vitest";
import { type AlertRule, slugOf } from "../../../dashboards/alerts/rule.ts";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import { annotationsOf } from "../../../dashboards/delivery/annotations.ts";
import { alertSections } from "../../../scripts/reference/alerts.ts";

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
