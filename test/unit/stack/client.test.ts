import { expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { requireServiceOf } from "../../../stack/require-service.ts";

let config: object = {};
vi.mock("../../../stack/lifecycle/local-config.ts", () => ({
  localConfig: () => parseStackConfig({ ...config }),
}));
vi.mock("../../../stack/lifecycle/outputs.ts", () => ({
  readClient: async () => ({ AIRFLOW_URL: "http://localhost:8080" }),
}));
const { clientEnvironment } = await import("../../../stack/lifecycle/client.ts");

test.each([
  [{}, "300"],
  [{ mode: "bare" }, undefined],
  [{ airflow: { enabled: false } }, undefined],
])("commands on a stack with %j know the interval of scheduled loads: %s", async (given, every) => {
  config = given;
  const environment = await clientEnvironment("dev");
  expect(environment.LOAD_EVERY_SECONDS).toBe(every);
  expect(environment).toMatchObject({
    AIRFLOW_URL: "http://localhost:8080",
    GENERATOR_INSTANCE: "dev",
  });
});

test("a command that needs a service that is switched off is refused with the way out", () => {
  const off = parseStackConfig({ airflow: { enabled: false } });
  expect(() => requireServiceOf("dev", off, "dag")).toThrow(
    expect.objectContaining({
      message: "The stack dev has no airflow",
      hint: expect.stringMatching(
        /enable airflow in .*Pulumi\.dev\.yaml, then run make up STACK=dev$/,
      ),
    }),
  );
  expect(() => requireServiceOf("dev", off, "transform")).not.toThrow();
  expect(() => requireServiceOf("dev", parseStackConfig({}), "dag")).not.toThrow();
});
