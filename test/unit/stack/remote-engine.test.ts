import { describe, expect, test } from "vitest";
import { isLocalEngine, refuseRemoteLoopback } from "../../../components/shared/reachability.ts";

const here = { bind: "127.0.0.1", portOffset: 0 };
const check =
  (host: string, network = {}) =>
  () =>
    refuseRemoteLoopback({ host }, { ...here, ...network });

describe("a stack on the engine of another host", () => {
  const host = "ssh://user@build.example";

  test.each([
    ["not set", {}],
    ["127.0.0.1", { host: "127.0.0.1", bind: "0.0.0.0" }],
  ])(
    "is refused if network.host is %s, because nothing listens on this machine",
    (value, network) => {
      expect(check(host, network)).toThrow(
        expect.objectContaining({
          message: `network.host is ${value}, but the Docker engine runs on another host, ${host}. Allowed: a name or address by which this machine and the containers reach that host`,
          hint: "run npx pulumi config set --path event-pipeline:network.bind 0.0.0.0 and npx pulumi config set --path event-pipeline:network.host build.example",
        }),
      );
    },
  );

  test.each([[{ bind: "0.0.0.0", host: "build.example" }], [{ bind: "192.0.2.7" }]])(
    "is accepted with %j, an address of that host",
    (network) => expect(check(host, network)).not.toThrow(),
  );
});

test.each([
  ["unix:///var/run/docker.sock", true],
  ["npipe:////./pipe/docker_engine", true],
  ["tcp://localhost:2375", true],
  ["tcp://127.0.0.1:2375", true],
  ["tcp://build.example:2376", false],
  ["ssh://user@build.example", false],
])("knows whether the ports of the engine at %s are on this machine: %s", (engine, isHere) => {
  expect(isLocalEngine(engine)).toBe(isHere);
  if (isHere) expect(check(engine)).not.toThrow();
});
