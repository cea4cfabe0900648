import { beforeEach, describe, expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { UserError } from "../../../contract/errors.ts";

const done = vi.hoisted((): string[] => []);
const prepareStart = vi.hoisted(() => vi.fn());
vi.mock("../../../terminal/docker.ts", () => ({
  runDocker: async (...args: string[]) => {
    done.push(`docker ${args.join(" ")}`);
    return "";
  },
  dockerRows: async (kind: string, ...args: string[]) =>
    args.includes("label=event-pipeline.identity=own")
      ? (held[kind] ?? []).map((name) => [name, `event-pipeline-dev-${name}`])
      : [],
}));
vi.mock("../../../stack/lifecycle/up.ts", () => ({
  prepareStart,
  up: async () => void done.push("up"),
}));
vi.mock("../../../stack/lifecycle/local-config.ts", () => ({
  localConfig: async () => parseStackConfig({}),
}));

const { recoverMonitoring, resetDashboards } = await import("../../../stack/monitoring.ts");

const EVERYTHING = {
  ps: ["prometheus", "statsd-exporter", "grafana", "kafka"],
  volume: ["prometheus-data", "grafana-data", "kafka-data"],
};
/** Last parts of the names of this state's objects, which are their ids, by kind. */
let held: Record<string, string[]>;

const report = (line: string) => void done.push(line.replace(/:.*/, ""));
const NAME = "event-pipeline-dev";

beforeEach(() => {
  done.length = 0;
  held = EVERYTHING;
  prepareStart.mockReset().mockResolvedValue({ identity: "own" });
});

describe.each([
  ["recover-monitoring", recoverMonitoring, "prometheus", " statsd-exporter"],
  ["reset-dashboards", resetDashboards, "grafana", ""],
] as const)("%s", (_, command, service, other) => {
  test("deletes nothing if the stack could not be started again", async () => {
    prepareStart.mockRejectedValue(new UserError("port 9090 is taken", "make doctor"));
    await expect(command("dev", report)).rejects.toThrow("port 9090 is taken");
    expect(done).toEqual([]);
  });

  test("announces that it deletes only the data of one service, and starts the stack", async () => {
    await command("dev", report);
    expect(done[0]).toMatch(/^Deleting /);
    expect(done.filter((line) => / rm /.test(line))).toEqual([
      `docker rm --force --volumes ${service}${other}`,
      `docker volume rm ${service}-data`,
    ]);
    expect(done.indexOf("up")).toBeGreaterThan(done.findLastIndex((line) => / rm /.test(line)));
  });

  test("leaves the objects of another checkout alone", async () => {
    held = {};
    await command("dev", report);
    expect(done.filter((line) => / rm /.test(line))).toEqual([]);
  });
});

test("Airflow is restarted after recover-monitoring, because it keeps a broken connection", async () => {
  await recoverMonitoring("dev", report);
  expect(done.slice(done.indexOf("up") + 1)).toEqual([
    `docker restart ${NAME}-airflow`,
    `docker restart ${NAME}-airflow-web`,
  ]);
});
