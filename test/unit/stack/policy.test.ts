import { expect, test } from "vitest";
import { goldenProgram } from "./golden.ts";
import { resourceOf } from "./record.ts";
import { broken } from "./walk.ts";

const generator = resourceOf(goldenProgram(), "generator");

test.each<[string, Record<string, unknown>, string]>([
  ["root as user", { user: "0:0" }, "its user is 0:0"],
  ["the image's user", { user: undefined }, "its user is the image's"],
  ["the group of root", { user: "1000:0" }, "its user is 1000:0"],
  ["capabilities", { capabilities: { drops: ["CAP_NET_RAW"] } }, "it keeps capabilities"],
  ["new privileges", { securityOpts: [] }, "it can gain privileges"],
  ["all privileges", { privileged: true }, "it is privileged"],
  ["no memory limit", { memory: undefined }, "it has no limit"],
  ["an unlimited log", { logOpts: { "max-size": "1g" } }, "its log is unlimited"],
  ["a password as variable", { envs: ["A=b", "DB_PASSWORD=x"] }, "it has DB_PASSWORD"],
  ["the machine's network", { networkMode: "host" }, "it uses the machine's network"],
  [
    "the engine's socket",
    { mounts: [{ type: "bind", source: "/var/run/docker.sock" }] },
    "it mounts the engine's socket",
  ],
  ["an open port", { ports: [{ ip: "127.0.0.1" }, { ip: "0.0.0.0" }] }, "it listens on 0.0.0.0"],
  ["a port without an address", { ports: [{}] }, "it listens on 0.0.0.0"],
  ["a writable root without need", { uploads: [] }, "it is writable"],
])("the policy pack refuses a container with %s", (_, changes, problem) => {
  expect(broken(generator)).toEqual([]);
  expect(broken({ ...generator, inputs: { ...generator.inputs, ...changes } })).toEqual([
    expect.stringMatching(new RegExp(`^generator: ${problem}`)),
  ]);
});
