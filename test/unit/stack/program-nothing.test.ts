import { expect, test } from "vitest";
import { namesOf, ofType, recordProgram, resourceOf, testSecrets } from "./record.ts";

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
  for (const type of ["Container", "Image", "RemoteImage"]) {
    expect(ofType(resources, type), type).toEqual([]);
  }
  expect(ofType(resources, "Command").map(({ name }) => name)).toEqual(["schema", "topics"]);
  expect(resourceOf(resources, "topics", "Command").inputs.environment).toMatchObject({
    KAFKA_BOOTSTRAP_SERVERS: "localhost:9092",
    CLICKHOUSE_URL: "http://127.0.0.1:8123",
  });
});

test("data and keys of services that are off stay, for when they are on again", () => {
  const volumes = ofType(resources, "Volume");
  expect(namesOf(volumes)).toEqual(["collector-data", "generator-data", "postgres-data"]);
  for (const { inputs, name } of volumes) {
    expect(inputs.labels, name).toContainEqual({
      label: "event-pipeline.data",
      value: "irreplaceable",
    });
  }
  expect(namesOf(ofType(resources, "RandomPassword"))).toEqual([
    "admin-password",
    "airflow-fernet-key-1",
    "superset-secret-key-1",
  ]);
});
