import { describe, expect, test } from "vitest";
import { readOverrides } from "../../../components/generator/overrides.ts";
import { generatorSettings } from "../../../components/generator/settings.ts";

const WEEK = {
  GEN_RUN_MODE: "backfill-then-live",
  GEN_MODEL_T0: "now-7d",
  GEN_MODEL_T_END: "now",
  GEN_BEHAVIOUR: "shop-if-new",
};

describe("the settings of the generator", () => {
  test("are the last week, unless the configuration sets other times or behaviour", () => {
    expect(generatorSettings({})).toEqual(WEEK);
    const given = { GEN_MODEL_T0: "now-30d", GEN_BEHAVIOUR: "plain", GEN_SEED: "7" };
    expect(generatorSettings(given)).toEqual({ ...WEEK, ...given });
  });

  test("leave times and behaviour to a scenario, unless they are given", () => {
    const bug = { GEN_SCENARIO: "checkout-bug" };
    expect(generatorSettings(bug)).toEqual({ GEN_RUN_MODE: "backfill-then-live", ...bug });
    const recent = { ...bug, GEN_MODEL_T0: "now-7d", GEN_MODEL_T_END: "now" };
    expect(generatorSettings(recent)).toMatchObject(recent);
  });

  test("follow the clock from T0 without a state", () => {
    const off = { GEN_STATE_ENABLED: "off" };
    expect(generatorSettings(off)).toMatchObject({ ...WEEK, GEN_RUN_MODE: "live" });
    const backfill = { ...off, GEN_RUN_MODE: "backfill" };
    expect(generatorSettings(backfill)).toMatchObject(backfill);
  });

  test.each([
    [{ GEN_SCENARIO: "other" }, "GEN_SCENARIO=other: must be none"],
    [{ GEN_TIK_SECONDS: "5" }, "did you mean GEN_TICK_SECONDS"],
    [
      { GEN_STATE_ENABLED: "off", GEN_RUN_MODE: "backfill-then-live" },
      "must be true with GEN_RUN_MODE=backfill-then-live",
    ],
  ])("%j are refused before anything starts", (given, message) => {
    expect(() => generatorSettings(given)).toThrow(message);
  });
});

describe("variables of the shell", () => {
  test("override settings, if they are set and the generator's", () => {
    const shell = { GEN_SEED: "caller", GEN_JITTER_PCT: "", HOME: "/" };
    expect(readOverrides(shell)).toEqual({ GEN_SEED: "caller" });
  });

  test.each([
    ["KAFKA_BOOTSTRAP_SERVERS", "other:9092"],
    ["GEN_ENABLED", "false"],
  ])("cannot set %s", (name, value) => {
    expect(() => readOverrides({ [name]: value })).toThrow(`${name}=${value}: fixed`);
  });
});
