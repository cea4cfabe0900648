import { describe, expect, test, vi } from "vitest";
import { namesOf, recordProgram, resourceOf } from "./record.ts";
import { expectRules } from "./walk.ts";

vi.stubEnv("GEN_SEED", "7");
const resources = await recordProgram("dev", {
  airflow: false,
  generator: { settings: { GEN_SEED: 5 } },
});

describe("the program without Airflow, with a setting of the shell", () => {
  test("follows the rules for every resource", () => expectRules(resources));

  test("loads by a command, and has no schedule", () => {
    const { create } = resourceOf(resources, "live-load", "Command").inputs;
    expect(create).toMatch(/node cli\/main\.ts transform --no-full-refresh$/);
    expect(namesOf(resources)).not.toContain("live-schedule");
    expect(namesOf(resources)).not.toContain("statsd-exporter");
  });

  test("has no scheduled loads, whose interval commands would take into account", () => {
    const { outputs } = resourceOf(resources, "event-pipeline-dev", "Stack");
    expect(outputs).toHaveProperty("client.GENERATOR_INSTANCE");
    expect(outputs).not.toHaveProperty("client.LOAD_EVERY_SECONDS");
  });

  test("shows in an output which setting overrides the configuration in this run", () => {
    expect(resourceOf(resources, "event-pipeline-dev", "Stack").outputs).toMatchObject({
      overrides: { GEN_SEED: "7" },
    });
    expect(resourceOf(resources, "generator").inputs.envs).toContain("GEN_SEED=7");
  });
});
