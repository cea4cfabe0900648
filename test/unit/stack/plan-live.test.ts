import { describe, expect, test } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { planLive } from "../../../components/live/spec.ts";

const ownBroker = { broker: { mode: "external", bootstrap: "b.example:9092" } };
const plan = (config: object) => planLive(parseStackConfig({ ...config }));

describe("live mode", () => {
  test.each([
    ["containers", {}, "live"],
    ["containers, bare", { mode: "bare" }, "bare"],
    ["a broker of the user's own", ownBroker, "bare"],
    ["a broker of the user's own, live", { ...ownBroker, mode: "live" }, "live"],
  ])("%s", (_, config, mode) => {
    expect(parseStackConfig(config).mode).toBe(mode);
  });

  test("waits for the history, loads it with the scheduler and switches scheduled loads on", () => {
    const { fill, schedule } = plan({});
    expect(fill?.history).toEqual(["generator status --wait 900 --accept-pause", "stored"]);
    expect(fill?.load.at(-1)).toMatch(/^dag run etl_pipeline --param full_refresh=false --wait/);
    expect(schedule).toBe("dag unpause etl_live");
  });

  test("loads by itself without a scheduler", () => {
    expect(plan({ scheduler: { enabled: false } })).toMatchObject({
      fill: { load: ["transform --no-full-refresh"] },
      schedule: null,
    });
  });

  test.each([{ enabled: false }, { deploy: false }])(
    "neither waits nor changes the schedule with generator %j",
    (generator) => expect(plan({ generator })).toEqual({ fill: null, schedule: ":" }),
  );

  test("bare mode switches scheduled loads off", () => {
    expect(plan({ mode: "bare" })).toEqual({ fill: null, schedule: "dag pause etl_live" });
  });
});
