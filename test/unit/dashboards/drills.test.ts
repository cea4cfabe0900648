import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import {
  breakageOf,
  hasDrill,
  obstacleTo,
  type Stoppable,
} from "../../../dashboards/drills/breakages.ts";
import { drilledRule } from "../../../stack/drills.ts";

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
    const config = parseStackConfig({});
    expect(drilledRule("broker-down", "dev", config).name).toBe("BrokerDown");
    expect(() => drilledRule("DatabaseDiskLow", "dev", config)).toThrow(/only a rule test/);
    expect(() => drilledRule("BrokerDwn", "dev", config)).toThrow(/did you mean BrokerDown\?/);
  });

  test("names the exporter that is off, and where to switch it on", () => {
    const config = parseStackConfig({ kafkaExporter: { enabled: false } });
    expect(() => drilledRule("BrokerDown", "offline", config)).toThrow(
      expect.objectContaining({
        message:
          "The stack offline has no kafkaExporter, whose metrics BrokerDown needs; it is deployed with prometheus.enabled and kafkaExporter.enabled",
        hint: expect.stringMatching(
          /set that in .*Pulumi\.offline\.yaml, then run make up STACK=offline$/,
        ),
      }),
    );
  });

  test("says that the metrics of the user's own database are not scraped", () => {
    const config = parseStackConfig({
      kafka: { mode: "external", bootstrap: "b1.example:9094" },
      clickhouse: { mode: "external", url: "https://db.example:8443" },
    });
    const rule = alertRules.find(({ group }) => group === "database")?.name ?? "";
    expect(() => drilledRule(rule, "mine", config)).toThrow(
      `The stack mine does not scrape its external ClickHouse, whose metrics ${rule} needs`,
    );
  });
});
