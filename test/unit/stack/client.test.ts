import { expect, test, vi } from "vitest";

let client: Record<string, string>;
const execute = vi.hoisted(() => vi.fn(async () => ({ code: 0 })));
vi.mock("../../../stack/lifecycle/outputs.ts", () => ({ readClient: async () => client }));
vi.mock("../../../terminal/process.ts", () => ({ execute }));
const { runOnStack } = await import("../../../stack/lifecycle/client.ts");

test("a command that needs a service that is switched off is refused with the way out", async () => {
  client = { CLICKHOUSE_URL: "http://localhost:9123" };
  await expect(runOnStack("dev", ["dag", "list"])).rejects.toMatchObject({
    message: "The stack dev has no airflow",
    hint: expect.stringMatching(
      /remove airflow: false in .*Pulumi\.dev\.yaml, then run make up STACK=dev$/,
    ),
  });
  expect(execute).not.toHaveBeenCalled();
  await runOnStack("dev", ["transform"]);
  client = { AIRFLOW_URL: "http://localhost:8080" };
  await runOnStack("dev", ["dag", "list"]);
  expect(execute).toHaveBeenLastCalledWith(
    process.execPath,
    [expect.stringMatching(/cli.main\.ts$/), "dag", "list"],
    { env: expect.objectContaining(client), output: "show" },
  );
});
