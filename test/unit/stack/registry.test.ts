import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scrapeJobs } from "../../../components/metrics/scrape.ts";
import { services } from "../../../components/registry.ts";
import { deployedWith, planStack, type ServiceName } from "../../../components/services.ts";
import { requireService, requireServicesOf } from "../../../stack/require-service.ts";
import { planContext } from "./context.ts";

const names = Object.keys(planStack(planContext())) as ServiceName[];
const read = (path: string) => readFileSync(join(import.meta.dirname, "../../..", path), "utf8");

/** `a.enabled and b.enabled` → the blocks that switch the service off, together or one by one. */
function switchingOff(name: ServiceName): Record<string, unknown>[] {
  const blocks = deployedWith(name)
    .split(/ and | or /)
    .map((setting) => {
      const [block = "", key = ""] = setting.split(/[.:=]/);
      if (key === "ingest") return { [block]: { ingest: "kafka-engine" } };
      return { [block]: key === "mode" ? EXTERNAL[block] : { [key]: false } };
    });
  return deployedWith(name).includes(" or ") ? [Object.assign({}, ...blocks)] : blocks;
}

const EXTERNAL: Readonly<Record<string, unknown>> = {
  broker: { mode: "external", bootstrap: "b:9092", security: { tls: false } },
  database: { mode: "external", url: "https://db:8443" },
};

describe("the registry", () => {
  test("has every service of the plan", () => {
    expect(names.filter((name) => !(name in services))).toEqual([]);
  });

  test.each(names)("names what deploys %s", (name) => {
    const isDeployed = (config: Record<string, unknown>): boolean => {
      const broker = "database" in config ? { broker: EXTERNAL.broker } : {};
      const plan = planStack(planContext({ ...broker, ...config }))[name];
      return plan !== null && plan.service !== null;
    };
    const byName = deployedWith(name) === `${name}.enabled` ? { [name]: { enabled: true } } : {};
    const on = name === "ingest" ? { database: { ingest: "service" } } : byName;
    expect(isDeployed(on)).toBe(true);
    for (const off of switchingOff(name)) expect(isDeployed(off), JSON.stringify(off)).toBe(false);
  });

  test("refuses what needs a service that is switched off, with the setting and the way out", () => {
    const plan = planStack(planContext({ scheduler: { enabled: false } }));
    const refused = {
      message: "The stack dev has no scheduler; it is deployed with scheduler.enabled",
      hint: expect.stringMatching(/set that in .*Pulumi\.dev\.yaml, then run make up STACK=dev$/),
    };
    for (const use of [
      () => requireService("dev", plan, "scheduler"),
      () => requireServicesOf("dev", plan, "dag"),
    ]) {
      expect(use).toThrow(expect.objectContaining(refused));
    }
    expect(() => requireServicesOf("dev", plan, "transform")).not.toThrow();
    expect(requireService("dev", plan, "bi")).toBe(plan.bi);
  });

  test("has every job that the monitoring page lists, and no other", () => {
    const { metrics, ...watched } = planStack(planContext());
    const rows = [...read("docs/monitoring.md").matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];
    const jobs = scrapeJobs(Object.values(watched));
    expect(rows.map(([, job]) => job).sort()).toEqual(
      [...jobs.map(({ job }) => job), "prometheus"].sort(),
    );
    expect(metrics?.jobs.size).toBe(rows.length);
  });
});
