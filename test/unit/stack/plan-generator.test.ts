import { describe, expect, test } from "vitest";
import { readOverrides } from "../../../components/generator/overrides.ts";
import { planStack } from "../../../components/services.ts";
import { planContext, textOf } from "./context.ts";
import { testSecrets } from "./record.ts";

const external = {
  mode: "external",
  bootstrap: "b1.example:9094",
  security: { mechanism: "PLAIN", username: "pipeline" },
} as const;

describe("the generator", () => {
  const serviceOf = (context: ReturnType<typeof planContext>) => {
    const plan = planStack(context).generator;
    if (!plan) throw new Error("no generator planned");
    return plan.service;
  };
  const environment = (...given: Parameters<typeof planContext>) => {
    const context = planContext(...given);
    return serviceOf(context).container.environment;
  };

  test("takes its parameters from the configuration, and the caller's environment takes precedence", () => {
    const config = { generator: { settings: { GEN_SEED: "stack", GEN_TICK_SECONDS: 2 } } };
    expect(
      environment(config, readOverrides({ GEN_SEED: "caller", GEN_JITTER_PCT: "", HOME: "/" })),
    ).toMatchObject({ GEN_SEED: "caller", GEN_TICK_SECONDS: "2" });
    expect(environment(config).GEN_SEED).toBe("stack");
    expect(readOverrides({ HOME: "/" })).toEqual({});
  });

  const WEEK = {
    GEN_RUN_MODE: "backfill-then-live",
    GEN_MODEL_T0: "now-7d",
    GEN_MODEL_T_END: "now",
    GEN_BEHAVIOUR: "shop-if-new",
  };

  test.each([
    ["live mode publishes", { mode: "live" }, "true"],
    ["bare mode publishes nothing", { mode: "bare" }, "false"],
    ["bare mode publishes on request", { mode: "bare", generator: { enabled: true } }, "true"],
    ["a generator of live mode may be off", { generator: { enabled: false } }, "false"],
  ])("%s, and a new history is always the last week", (_, config, enabled) => {
    expect(environment(config)).toMatchObject({ ...WEEK, GEN_ENABLED: enabled });
  });

  test("takes other times and another behaviour from the configuration", () => {
    const month = { generator: { settings: { GEN_MODEL_T0: "now-30d" } } };
    expect(environment(month).GEN_MODEL_T0).toBe("now-30d");
    const plain = { generator: { settings: { GEN_BEHAVIOUR: "plain" } } };
    expect(environment(plain).GEN_BEHAVIOUR).toBe("plain");
    expect(environment(plain, { GEN_BEHAVIOUR: "shop" }).GEN_BEHAVIOUR).toBe("shop");
  });

  test("leaves times and behaviour to a scenario, unless the configuration sets them", () => {
    const bug = { generator: { settings: { GEN_SCENARIO: "checkout-bug" } } };
    const live = environment({ mode: "live", ...bug });
    expect(live).toMatchObject({
      GEN_RUN_MODE: "backfill-then-live",
      GEN_SCENARIO: "checkout-bug",
    });
    for (const name of ["GEN_MODEL_T0", "GEN_MODEL_T_END", "GEN_BEHAVIOUR"]) {
      expect(live).not.toHaveProperty(name);
    }
    const recent = { GEN_SCENARIO: "checkout-bug", GEN_MODEL_T0: "now-7d", GEN_MODEL_T_END: "now" };
    expect(environment({ generator: { settings: recent } })).toMatchObject(recent);
    const wrong = { generator: { settings: { GEN_SCENARIO: "other" } } };
    expect(() => environment(wrong)).toThrow("GEN_SCENARIO=other: must be none");
  });

  test.each(["live", "bare"])("follows the clock from T0 without a state, in %s mode", (mode) => {
    const off = { GEN_STATE_ENABLED: "off" };
    const stateless = (settings: object) => environment({ mode, generator: { settings } });
    expect(stateless(off)).toMatchObject({ ...WEEK, GEN_RUN_MODE: "live" });
    expect(stateless({ ...off, GEN_RUN_MODE: "backfill" }).GEN_RUN_MODE).toBe("backfill");
    const both = { ...off, GEN_RUN_MODE: "backfill-then-live" };
    expect(() => stateless(both)).toThrow("must be true with GEN_RUN_MODE=backfill-then-live");
  });

  test.each([
    ["KAFKA_BOOTSTRAP_SERVERS", "other:9092"],
    ["GEN_ENABLED", "false"],
  ])("refuses an attempt to set %s", (name, value) => {
    expect(() => readOverrides({ [name]: value })).toThrow(`${name}=${value}: fixed`);
  });

  test.each([[{ GEN_TIK_SECONDS: "5" }, /did you mean GEN_TICK_SECONDS/]])(
    "refuses %j before anything starts",
    (caller, message) => {
      expect(() => environment({}, caller)).toThrow(message);
    },
  );

  test("shows no secret on inspection, and restarts when one changes", () => {
    const context = planContext({ broker: external });
    const { container } = serviceOf(context);
    for (const secret of Object.values(testSecrets)) {
      expect(JSON.stringify(container)).not.toContain(secret);
    }
    expect(container.environment).toMatchObject({
      CONTROL_TOKEN_FILE: "/run/event-pipeline/control-token",
      KAFKA_SASL_PASSWORD_FILE: "/run/event-pipeline/kafka-sasl-password",
      KAFKA_TLS: "true",
    });
    const text = container.replaceTriggers.secrets;
    expect(textOf(text, { controlToken: "another" })).not.toBe(textOf(text));
  });
});
