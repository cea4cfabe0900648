import { expect, test } from "vitest";
import { ofType, recordProgram, resourceOf, testSecrets } from "./record.ts";

const off = false;
const { clickhousePassword } = testSecrets;
const config = {
  kafka: { mode: "external", bootstrap: "localhost:9092", security: { tls: false } },
  clickhouse: { mode: "external", url: "http://127.0.0.1:8123" },
  generator: false,
  ...{ kafkaUi: off, airflow: off, superset: off, prometheus: off, clickhousePassword },
};
// Without published ports, an engine on another host needs no address of that host.
const resources = await recordProgram("dev", config, [], "tcp://build.example:2376");

test("without any service the program only prepares the external servers, also on loopback", () => {
  for (const type of ["Container", "Volume", "Image", "RemoteImage", "RandomPassword"]) {
    const own = ofType(resources, type).filter(({ name }) => name !== "admin-password");
    expect(own, type).toEqual([]);
  }
  expect(ofType(resources, "Command").map(({ name }) => name)).toEqual(["schema", "topics"]);
  expect(resourceOf(resources, "topics", "Command").inputs.environment).toMatchObject({
    KAFKA_BOOTSTRAP_SERVERS: "localhost:9092",
    CLICKHOUSE_URL: "http://127.0.0.1:8123",
  });
});
