import { expect, test, vi } from "vitest";
import { recordProgram, resourceOf } from "./record.ts";

test("the output overrides shows settings of the shell that apply to one run", async () => {
  vi.stubEnv("GEN_SEED", "7");
  const resources = await recordProgram("dev", { generator: { settings: { GEN_SEED: 5 } } });
  expect(resourceOf(resources, "event-pipeline-dev", "Stack").outputs).toMatchObject({
    overrides: { GEN_SEED: "7" },
  });
  expect(resourceOf(resources, "generator").inputs.envs).toContain("GEN_SEED=7");
});
