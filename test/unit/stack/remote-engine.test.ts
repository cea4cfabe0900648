import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { isLocalEngine } from "../../../components/shared/check-reachability.ts";
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
  const { readInputs } = await import("../../../components/resources/inputs.ts");
  return readInputs();
}

const OFF = { enabled: false };
const external = {
  broker: { mode: "external", bootstrap: "kafka.example:9092" },
  database: { mode: "external", url: "http://clickhouse.example:8123" },
  clickhousePassword: "database-password",
  generator: { deploy: false },
  ...{ bi: OFF, scheduler: OFF, metrics: OFF, brokerUi: OFF },
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

  test("is accepted with an address of that host", async () => {
    const network = { bind: "0.0.0.0", host: "build.example" };
    expect((await read({ network })).plan.broker.endpoint.host).toBe("build.example:9092");
    expect((await read({ network: { bind: "192.0.2.7" } })).plan.broker.endpoint.host).toBe(
      "192.0.2.7:9092",
    );
  });

  test("is accepted if it publishes no port", async () => {
    vi.stubEnv("DOCKER_HOST", "tcp://build.example:2376");
    expect((await read(external)).plan.broker.service).toBeNull();
  });

  test("needs no setting on this machine's engine", async () => {
    vi.stubEnv("DOCKER_HOST", "unix:///var/run/docker.sock");
    expect((await read({})).plan.broker.endpoint.host).toBe("localhost:9092");
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
