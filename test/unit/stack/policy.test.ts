import { expect, test } from "vitest";
import { goldenProgram } from "./golden.ts";
import { resourceOf } from "./record.ts";
import { broken } from "./walk.ts";

const generator = resourceOf(goldenProgram(), "generator");

test.each<[string, Record<string, unknown>, string]>([
  ["root as user", { user: "0:0" }, "its user is 0:0"],
  ["the image's user", { user: undefined }, "its user is the image's"],
  ["the group of root", { user: "1000:0" }, "its user is 1000:0"],
  ["a user without a group", { user: "1000" }, "its user is 1000"],
  ["added capabilities", { capabilities: { drops: ["ALL"], adds: ["SYS_ADMIN"] } }, "it keeps cap"],
  ["another process space", { pidMode: "host" }, "it shares host"],
  [
    "another container's network",
    { networkMode: "container:x" },
    "it uses the network container:x",
  ],
  ["devices", { devices: [{ hostPath: "/dev/kmsg" }] }, "it has devices"],
  [
    "system calls of any kind",
    { securityOpts: ["no-new-privileges", "seccomp=unconfined"] },
    "it can gain",
  ],
  ["capabilities", { capabilities: { drops: ["CAP_NET_RAW"] } }, "it keeps capabilities"],
  ["new privileges", { securityOpts: [] }, "it can gain privileges"],
  ["all privileges", { privileged: true }, "it is privileged"],
  ["no memory limit", { memory: undefined }, "it has no limit"],
  ["an unlimited log", { logOpts: { "max-size": "1g" } }, "its log is unlimited"],
  ["a password as variable", { envs: ["A=b", "DB_PASSWORD=x"] }, "it has DB_PASSWORD"],
  ["the machine's network", { networkMode: "host" }, "it uses the network host"],
  [
    "the engine's socket",
    { mounts: [{ type: "bind", source: "/var/run/docker.sock" }] },
    "it mounts /var/run/docker.sock",
  ],
  ["a folder of the machine", { volumes: [{ hostPath: "/" }] }, "it mounts /"],
  ["an open port", { ports: [{ ip: "127.0.0.1" }, { ip: "0.0.0.0" }] }, "it listens on 0.0.0.0"],
  ["a port without an address", { ports: [{}] }, "it listens on 0.0.0.0"],
  ["a writable root without need", { uploads: [] }, "it is writable"],
])("the policy pack refuses a container with %s", (_, changes, problem) => {
  expect(broken(generator)).toEqual([]);
  expect(broken({ ...generator, inputs: { ...generator.inputs, ...changes } })).toEqual([
    expect.stringMatching(new RegExp(`^generator: ${problem}`)),
  ]);
});
