import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestService } from "../../monitoring/services.ts";
import { freePort } from "../../support/ports.ts";

const PROGRAM = join(import.meta.dirname, "../../../dashboards/delivery/alert-log.mjs");

describe("the alert log", () => {
  let log: TestService;
  beforeAll(async () => {
    const port = await freePort();
    const environment = { ...process.env, ALERT_LOG_PORT: String(port) };
    const args = () => [PROGRAM];
    log = await TestService.start(process.execPath, "/healthz", {}, args, port, environment);
  });
  afterAll(() => log?.stop());

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
    await expect.poll(() => log.output).toContain("TargetDown");
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
    await expect.poll(() => log.output).toContain("not JSON");
    expect((await post("x".repeat(2 * 1024 * 1024)).catch(() => ({ status: 413 }))).status).toBe(
      413,
    );
    expect((await fetch(`${log.url}/other`)).status).toBe(404);
  });
});
