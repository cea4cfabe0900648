import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";

const done = vi.hoisted((): string[] => []);
const prepare = vi.hoisted(() => vi.fn());
vi.mock("../../../terminal/docker.ts", () => ({
  docker: async (...args: string[]) => {
    done.push(`docker ${args.join(" ")}`);
    return "";
  },
}));
vi.mock("../../../stack/lifecycle/up.ts", () => ({
  prepare,
  up: async () => void done.push("up"),
}));

const { recoverMonitoring, resetDashboards, restartStatsdExporter } = await import(
  "../../../stack/monitoring.ts"
);

const report = (line: string) => void done.push(line.replace(/:.*/, ""));
const NAME = "event-pipeline-dev";

const state = mkdtempSync(join(tmpdir(), "recover-"));
beforeAll(() => vi.stubEnv("EVENT_PIPELINE_STATE", state));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(state, { recursive: true });
});

beforeEach(() => {
  done.length = 0;
  prepare.mockReset();
});

describe.each([
  ["recover-monitoring", recoverMonitoring],
  ["reset-dashboards", resetDashboards],
] as const)("%s", (_, command) => {
  test("deletes nothing if the stack could not be started again", async () => {
    prepare.mockRejectedValue(new UserError("port 9090 is taken", "make doctor"));
    await expect(command("dev", report)).rejects.toThrow("port 9090 is taken");
    expect(done).toEqual([]);
  });

  test("announces what it deletes, and starts the stack", async () => {
    await command("dev", report);
    const deleted = done.findIndex((line) => line.startsWith("docker volume rm"));
    expect(done[0]).toMatch(/^Deleting /);
    expect(deleted).toBeGreaterThan(0);
    expect(done.indexOf("up")).toBeGreaterThan(deleted);
  });
});

test("recover-monitoring empties only the metrics store and restarts what sends metrics", async () => {
  await recoverMonitoring("dev", report);
  expect(done.filter((line) => line.startsWith("docker volume"))).toEqual([
    `docker volume rm --force ${NAME}-prometheus-data`,
  ]);
  expect(done.slice(done.indexOf("up")).filter((line) => /restart/.test(line))).toHaveLength(2);
});

test("reset-dashboards empties only Grafana's library", async () => {
  await resetDashboards("dev", report);
  expect(done.filter((line) => / rm /.test(line))).toEqual([
    `docker rm --force --volumes ${NAME}-grafana`,
    `docker volume rm --force ${NAME}-grafana-data`,
  ]);
});

test("restarts the StatsD exporter by its name", async () => {
  expect(await restartStatsdExporter("dev")).toBe(`${NAME}-statsd-exporter`);
  expect(done).toEqual([`docker restart ${NAME}-statsd-exporter`]);
});
