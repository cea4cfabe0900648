import { afterEach, expect, test, vi } from "vitest";
import { planContext } from "./context.ts";
import { testSecrets } from "./record.ts";

let config: object = {};
vi.mock("../../../stack/lifecycle/local-plan.ts", () => ({
  localContext: () => planContext({ ...config }),
}));
vi.mock("../../../stack/lifecycle/outputs.ts", () => ({ readSecrets: async () => testSecrets }));
const { useClientEnvironment } = await import("../../../stack/lifecycle/client.ts");

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

test.each([
  [{}, "300"],
  [{ mode: "bare" }, undefined],
  [{ scheduler: { enabled: false } }, undefined],
])("commands on a stack with %j know the interval of scheduled loads: %s", async (given, every) => {
  config = given;
  await useClientEnvironment("dev");
  expect(process.env.LOAD_EVERY_SECONDS).toBe(every);
});
