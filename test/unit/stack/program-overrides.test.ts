import { expect, test, vi } from "vitest";
import { recordProgram } from "./record.ts";

test("the output overrides shows settings of the shell that apply to one run", async () => {
  vi.stubEnv("GEN_SEED", "7");
  const resources = await recordProgram("dev", {});
  const { overrides } = await import("../../../index.ts");
  expect(overrides).toEqual({ GEN_SEED: "7" });
  const generator = resources.find(
    ({ name, type }) => name === "generator-service" && type.endsWith(":Container"),
  );
  expect(generator?.inputs.envs).toContain("GEN_SEED=7");
});
