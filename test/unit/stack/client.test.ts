import { expect, test } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { variablesOf } from "../../../stack/lifecycle/client.ts";
import { requireServiceOf } from "../../../stack/require-service.ts";

test.each([
  [{}, "300"],
  [{ mode: "bare" }, undefined],
  [{ airflow: false }, undefined],
])("commands on a stack with %j know the interval of scheduled loads: %s", (config, every) => {
  const variables = variablesOf("team/dev", parseStackConfig({ ...config }));
  expect(variables.LOAD_EVERY_SECONDS).toBe(every);
  expect(variables.GENERATOR_INSTANCE).toBe("dev");
});

test("a command that needs a service that is switched off is refused with the way out", () => {
  const off = parseStackConfig({ airflow: false });
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
