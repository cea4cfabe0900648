import { describe, expect, test } from "vitest";
import type { SchedulerPlan } from "../../../components/scheduler/spec.ts";
import { planStack } from "../../../components/services.ts";
import { isSecret, planContext, textOf } from "./context.ts";
import { testSecrets } from "./record.ts";

const planOf = (config = {}): SchedulerPlan => {
  const { scheduler } = planStack(planContext(config));
  if (!scheduler) throw new Error("no scheduler planned");
  return scheduler;
};
const fileOf = (plan: SchedulerPlan, path: string, secrets: object = {}): string =>
  textOf(plan.secrets.files.find((file) => file.path === path)?.content, secrets);

const external = {
  mode: "external",
  bootstrap: "b1.example:9094",
  security: { mechanism: "PLAIN", username: "pipeline" },
} as const;

describe("the scheduler", () => {
  test("gives its tasks no address of a generator that is not deployed", () => {
    const config = { generator: { deploy: false } };
    expect(planOf(config).service.container.environment).not.toHaveProperty("GENERATOR_URL");
  });

  test("sends its metrics if something receives them", () => {
    expect(planOf().service.container.environment).toMatchObject({
      AIRFLOW__METRICS__STATSD_HOST: "statsd-exporter",
      AIRFLOW__METRICS__STATSD_PORT: "8125",
    });
    const silent = planOf({ metrics: { enabled: false } }).service.container.environment;
    expect(silent).not.toHaveProperty("AIRFLOW__METRICS__STATSD_ON");
  });

  test("shows no secret on inspection, and restarts when one changes", () => {
    const plan = planOf({ broker: external });
    const shown = JSON.stringify([plan.service.container, plan.web.container, plan.init]);
    for (const secret of Object.values(testSecrets)) expect(shown).not.toContain(secret);
    expect(plan.secrets.files.every(isSecret)).toBe(true);
    const text = plan.web.container.replaceTriggers.secrets;
    expect(textOf(text, { airflowWebKey: "another" })).not.toBe(textOf(text));
  });

  test("turns any text into a Fernet key: 32 bytes in URL-safe base64", () => {
    for (const airflowFernetKey of ["a", "x".repeat(90)]) {
      const key = fileOf(planOf(), "fernet-key", { airflowFernetKey });
      expect(key).toMatch(/^[\w-]{43}=$/);
      expect(Buffer.from(key, "base64url")).toHaveLength(32);
    }
  });

  test("puts a new Fernet key before the one it replaces", () => {
    const [current] = fileOf(planOf(), "fernet-key").split(",");
    const keys = fileOf(planOf({ scheduler: { fernetKeyGeneration: 2 } }), "fernet-key").split(",");
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(current);
    expect(keys[1]).not.toBe(current);
  });

  test("a password with special characters stays one part of the address", () => {
    const url = fileOf(planOf(), "metadata-url", { airflowDatabasePassword: "a@b/c:d" });
    expect(new URL(url).password).toBe("a%40b%2Fc%3Ad");
    expect(new URL(url).hostname).toBe("postgres");
  });
});
