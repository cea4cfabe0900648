import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import {
  breakageOf,
  hasDrill,
  obstacleTo,
  type Stoppable,
  stoppableServices,
} from "../../../dashboards/drills/breakages.ts";
import { drilledRule } from "../../../dashboards/drills/run.ts";
import { JOB_NAMES } from "../../../dashboards/promql.ts";

const asked = vi.hoisted((): string[] => []);
vi.mock("../../../terminal/docker.ts", () => ({
  runDocker: async (command: string, ...args: string[]) => {
    if (command === "inspect") return `owner of ${args.at(-1)}`;
    asked.push([command, ...args].join(" "));
    return "";
  },
  dockerRows: async (...args: string[]) =>
    args.includes("label=event-pipeline.identity=owner of metrics") &&
    args.includes("label=event-pipeline.service=kafka")
      ? [["broker"]]
      : [],
}));

const ROOT = join(import.meta.dirname, "../../..");

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "services are restored at %s, before the work ends",
  (name) => {
    const program = `import { setTimeout as sleep } from "node:timers/promises";
import { runInterruptible } from ${JSON.stringify(join(ROOT, "dashboards/drills/drill.ts"))};
await runInterruptible(async (signal) => {
  setTimeout(() => process.kill(process.pid, "${name}"), 50);
  await sleep(20_000, undefined, { signal }).catch(() => undefined);
  console.log("restored");
}, console.log);`;
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { encoding: "utf8" },
    );
    expect(stdout).toMatch(/^Interrupted: .*\nrestored\n$/);
    expect(status).toBe(0);
  },
);

describe("a drill", () => {
  const service: Stoppable = { stop: async () => undefined, start: async () => undefined };
  const drilled = alertRules.filter(hasDrill);
  test("reports a service that the stack does not run", () => {
    const services = { broker: null, generator: null, scheduler: null };
    const stopping = drilled.filter(({ drill }) => drill.kind === "stop");
    expect(stopping.map(({ name }) => name)).toContain("BrokerDown");
    for (const rule of stopping) {
      expect(() => breakageOf(rule, { services, databaseUrl: "", collectorUrl: "" })).toThrow(
        /does not run/,
      );
      const all = { broker: service, generator: service, scheduler: service };
      expect(obstacleTo(rule, all)).toBeUndefined();
    }
  });

  test("stops containers with the identity of this stack's Prometheus, and none that it lacks", async () => {
    const { broker, ...others } = await stoppableServices("metrics");
    expect(others).toEqual({ generator: null, scheduler: null });
    await broker?.stop();
    await broker?.start();
    expect(asked).toEqual(["stop --time 30 broker", "start broker"]);
  });

  test("of the offline stack in the tutorial needs no exporter of the broker", () => {
    const tutorial = readFileSync(join(ROOT, "docs/tutorial/first-hour.md"), "utf8");
    const [, offline] = /ALERT=(\w+) STACK=offline/.exec(tutorial) ?? [];
    const rule = drilled.find(({ name }) => name === offline);
    expect(rule?.signal.expr).not.toContain('job="broker"');
    expect(rule?.drill).toEqual({ kind: "stop", service: "generator" });
  });

  test("is found by name or slug; a rule without a drill and an unknown name are refused", () => {
    const jobs = new Set(JOB_NAMES);
    expect(drilledRule("broker-down", jobs).name).toBe("BrokerDown");
    expect(() => drilledRule("DatabaseDiskLow", jobs)).toThrow(/only a rule test/);
    expect(() => drilledRule("BrokerDwn", jobs)).toThrow(/did you mean BrokerDown\?/);
  });

  test("names the job that Prometheus does not scrape", () => {
    const jobs = new Set(JOB_NAMES.filter((job) => job !== "broker"));
    expect(() => drilledRule("BrokerDown", jobs)).toThrow(
      "BrokerDown needs the metrics of the job broker, which this stack's Prometheus does not scrape",
    );
  });
});
