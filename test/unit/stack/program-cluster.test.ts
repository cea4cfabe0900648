import { expect, test } from "vitest";
import { recordProgram, testSecrets } from "./record.ts";

test("another cluster of an external database creates the schema again, on that cluster", async () => {
  const database = { mode: "external", url: "https://db.example:8443", ingest: "service" };
  const { databasePassword } = testSecrets;
  const config = { database: { ...database, cluster: "events" }, databasePassword };
  const resources = await recordProgram("cloud", config);
  const schema = resources.find(
    ({ name, type }) => name === "schema" && type === "command:local:Command",
  );
  expect(schema?.inputs.triggers).toContain("https://db.example:8443#events");
  expect(schema?.inputs.environment).toMatchObject({
    CLICKHOUSE_CLUSTER: "events",
    DDL_TIER: "service",
  });
});
