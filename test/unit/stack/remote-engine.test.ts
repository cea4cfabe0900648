import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { isLocalEngine } from "../../../components/shared/reachability.ts";
import { ownState } from "./own-state.ts";

ownState();
beforeEach(() => {
  vi.resetModules();
  vi.stubEnv("DOCKER_HOST", "ssh://user@build.example");
});

type Blocks = Readonly<Record<string, object | string>>;

/** Reads the program's configuration. */
async function read(blocks: Blocks) {
  const texts = Object.entries(blocks).map(([key, value]) => [
    `event-pipeline:${key}`,
    JSON.stringify(value),
  ]);
  pulumi.runtime.setMocks({ newResource: vi.fn(), call: vi.fn() }, "event-pipeline", "dev");
  pulumi.runtime.setAllConfig(Object.fromEntries(texts), ["event-pipeline:clickhousePassword"]);
  // The engine is read once per process.
  const { readInputs } = await import("../../../components/inputs.ts");
  return readInputs();
}

const OFF = { enabled: false };
const external = {
  kafka: { mode: "external", bootstrap: "kafka.example:9092" },
  clickhouse: { mode: "external", url: "http://clickhouse.example:8123" },
  clickhousePassword: "database-password",
  generator: { deploy: false },
  ...{ superset: OFF, airflow: OFF, prometheus: OFF, kafkaUi: OFF },
};

describe("a stack on the engine of another host", () => {
  test.each([
    ["not set", {}],
    ["127.0.0.1", { host: "127.0.0.1", bind: "0.0.0.0" }],
  ])(
    "is refused if network.host is %s, because nothing listens on this machine",
    async (value, network) => {
      await expect(read({ network })).rejects.toMatchObject({
        name: "UserError",
        message: `network.host is ${value}, but the Docker engine runs on another host, ssh://user@build.example (DOCKER_HOST). Allowed: a name or address by which this machine and the containers reach that host`,
        hint: "run pulumi config set --path event-pipeline:network.bind 0.0.0.0 and pulumi config set --path event-pipeline:network.host build.example",
      });
    },
  );

  test.each([[{ bind: "0.0.0.0", host: "build.example" }], [{ bind: "192.0.2.7" }]])(
    "is accepted with %j, an address of that host",
    async (network) => {
      expect((await read({ network })).config.network).toMatchObject(network);
    },
  );

  test("is accepted if it publishes no port", async () => {
    vi.stubEnv("DOCKER_HOST", "tcp://build.example:2376");
    expect((await read(external)).config.kafka.mode).toBe("external");
  });

  test("needs no setting on this machine's engine", async () => {
    vi.stubEnv("DOCKER_HOST", "unix:///var/run/docker.sock");
    expect((await read({})).config.network.bind).toBe("127.0.0.1");
  });
});

test.each([
  ["unix:///var/run/docker.sock", true],
  ["npipe:////./pipe/docker_engine", true],
  ["tcp://localhost:2375", true],
  ["tcp://127.0.0.1:2375", true],
  ["tcp://build.example:2376", false],
  ["ssh://user@build.example", false],
])("knows whether the ports of the engine at %s are on this machine: %s", (engine, here) => {
  expect(isLocalEngine(engine)).toBe(here);
});
