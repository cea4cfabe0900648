import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planStack } from "../../../components/services.ts";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import {
  breakageOf,
  hasDrill,
  obstacleTo,
  type Stoppable,
} from "../../../dashboards/drills/breakages.ts";
import { drilledRule } from "../../../stack/drills.ts";
import { planContext } from "../stack/context.ts";

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
  const plansWith = (config: Readonly<Record<string, unknown>>) => {
    const plan = planStack(planContext(config));
    if (plan.metrics === null) throw new Error("no metrics planned");
    return { plan, metrics: plan.metrics };
  };

  test("reports a service that the stack does not run", () => {
    const services = { broker: null, generator: null, scheduler: null };
    const stopping = drilled.filter(({ drill }) => drill.kind === "stop");
    expect(stopping.map(({ name }) => name)).toContain("BrokerDown");
    for (const rule of stopping) {
      expect(() => breakageOf(rule, { services, databaseUrl: "" })).toThrow(/does not run/);
      const all = { broker: service, generator: service, scheduler: service };
      expect(obstacleTo(rule, all)).toBeUndefined();
    }
  });

  test("of the offline stack in the tutorial needs no exporter of the broker", () => {
    const tutorial = readFileSync(join(ROOT, "docs/tutorial/first-hour.md"), "utf8");
    const [, offline] = /ALERT=(\w+) STACK=offline/.exec(tutorial) ?? [];
    const rule = drilled.find(({ name }) => name === offline);
    expect(rule?.signal.expr).not.toContain('job="broker"');
    expect(rule?.drill).toEqual({ kind: "stop", service: "generator" });
  });

  test("is found by name or slug; a rule without a drill and an unknown name are refused", () => {
    const plans = plansWith({});
    expect(drilledRule("broker-down", "dev", plans).name).toBe("BrokerDown");
    expect(() => drilledRule("DatabaseDiskLow", "dev", plans)).toThrow(/only a rule test/);
    expect(() => drilledRule("BrokerDwn", "dev", plans)).toThrow(/did you mean BrokerDown\?/);
  });

  test("names the exporter that is off, and where to switch it on", () => {
    const plans = plansWith({ brokerExporter: { enabled: false } });
    expect(() => drilledRule("BrokerDown", "offline", plans)).toThrow(
      expect.objectContaining({
        message:
          "The stack offline has no brokerExporter, whose metrics BrokerDown needs; it is deployed with metrics.enabled and brokerExporter.enabled",
        hint: expect.stringMatching(
          /set that in .*Pulumi\.offline\.yaml, then run make up STACK=offline$/,
        ),
      }),
    );
  });

  test("says that the metrics of the user's own database are not scraped", () => {
    const plans = plansWith({
      broker: { mode: "external", bootstrap: "b1.example:9094" },
      database: { mode: "external", url: "https://db.example:8443" },
    });
    const rule = alertRules.find(({ group }) => group === "database")?.name ?? "";
    expect(() => drilledRule(rule, "mine", plans)).toThrow(
      `The stack mine does not scrape its external database, whose metrics ${rule} needs`,
    );
  });
});
