import { afterEach, expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";

let config: object = {};
vi.mock("../../../stack/lifecycle/local-config.ts", () => ({
  localConfig: () => parseStackConfig({ ...config }),
}));
vi.mock("../../../stack/lifecycle/outputs.ts", () => ({
  readClient: async () => ({ AIRFLOW_URL: "http://localhost:8080" }),
}));
const { useClientEnvironment } = await import("../../../stack/lifecycle/client.ts");

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

test.each([
  [{}, "300"],
  [{ mode: "bare" }, undefined],
  [{ airflow: { enabled: false } }, undefined],
])("commands on a stack with %j know the interval of scheduled loads: %s", async (given, every) => {
  config = given;
  await useClientEnvironment("dev");
  expect(process.env.LOAD_EVERY_SECONDS).toBe(every);
  expect(process.env).toMatchObject({
    AIRFLOW_URL: "http://localhost:8080",
    GENERATOR_INSTANCE: "dev",
  });
});
