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

  test("shows in an output which setting overrides the configuration in this run", () => {
    expect(resourceOf(resources, "event-pipeline-dev", "Stack").outputs).toMatchObject({
      overrides: { GEN_SEED: "7" },
    });
    expect(resourceOf(resources, "generator").inputs.envs).toContain("GEN_SEED=7");
  });
});
