import { beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";

const done = vi.hoisted((): unknown[] => []);
const up = vi.hoisted(() => vi.fn());
vi.mock("../../../terminal/docker.ts", () => ({
  runDocker: async (...args: string[]) => void done.push(args),
  dockerRows: async (...args: string[]) =>
    args.includes("label=event-pipeline.identity=own")
      ? ["airflow", "airflow-api-server", "kafka"].map((name) => [name, `id of ${name}`])
      : [],
}));
vi.mock("../../../stack/lifecycle/up.ts", () => ({ up }));
vi.mock("../../../stack/lifecycle/recover.ts", () => ({
  deploymentOf: async () => ({ identity: "own" }),
}));
let client: Record<string, string>;
vi.mock("../../../stack/lifecycle/outputs.ts", () => ({ readClient: async () => client }));

const { recoverMonitoring, resetDashboards } = await import("../../../stack/monitoring.ts");

const report = (line: string) => void done.push(line);

beforeEach(() => {
  done.length = 0;
  client = { METRICS_URL: "http://localhost:9090", GRAFANA_URL: "http://localhost:3000" };
  up.mockReset().mockImplementation(async (_, options) => void done.push(options));
});

test("recover-monitoring replaces the store and its exporter, then restarts Airflow, which keeps a broken connection", async () => {
  await recoverMonitoring("dev", report);
  expect(done).toEqual([
    expect.stringMatching(/^Deleting .* prometheus-data/),
    { replace: ["Volume::prometheus-data", "Container::statsd-exporter"] },
    ["restart", "id of airflow", "id of airflow-api-server"],
  ]);
});

test("reset-dashboards replaces Grafana's data, then delivers the content", async () => {
  await resetDashboards("dev", report);
  expect(done).toEqual([
    expect.stringMatching(/^Deleting .* grafana-data/),
    { replace: ["Volume::grafana-data"] },
    undefined,
  ]);
});

describe.each([
  ["recover-monitoring", recoverMonitoring, "prometheus"],
  ["reset-dashboards", resetDashboards, "grafana"],
] as const)("%s", (_, command, service) => {
  test("ends if the stack cannot start, or has no such service", async () => {
    up.mockRejectedValue(new UserError("port 9090 is taken"));
    await expect(command("dev", report)).rejects.toThrow("port 9090 is taken");
    client = {};
    await expect(command("dev", report)).rejects.toThrow(`The stack dev has no ${service}`);
    expect(done).toHaveLength(1);
  });
});
