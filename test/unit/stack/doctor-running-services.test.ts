import { beforeEach, expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";

let containers: object[];
vi.mock("../../../terminal/docker.ts", () => ({
  docker: async () => JSON.stringify(containers),
}));
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  serviceRows: async () => containers.map((_, index) => ["kafka", `id${index}`]),
}));
const { runningFindings } = await import("../../../stack/doctor/running-services.ts");

const healthy = {
  Name: "/one-kafka",
  RestartCount: 0,
  State: { Running: true, OOMKilled: false, Health: { Status: "healthy" } },
};
const withState = (State: object) => ({ ...healthy, State: { ...healthy.State, ...State } });

beforeEach(() => {
  containers = [healthy];
});

const ask = async () =>
  (await runningFindings({ stack: "dev", config: parseStackConfig({}) })).map(
    ({ status, detail, hint }) => [status, detail, ...(hint ? [hint] : [])],
  );

test.each([
  ["stopped", { Running: false }, "run make up STACK=dev"],
  [
    "unhealthy",
    { Health: { Status: "unhealthy" } },
    "run make logs STACK=dev, then make up STACK=dev",
  ],
  ["paused", { Paused: true }, "run docker unpause one-kafka"],
])("a service that is %s is reported with the command for it", async (state, answer, hint) => {
  containers = [healthy, withState(answer)];
  expect(await ask()).toEqual([["fail", `one-kafka is ${state}`, hint]]);
});

test("a service that restarts in a loop is reported with its reason", async () => {
  const State = { Health: { Status: "starting" }, OOMKilled: true };
  containers = [{ ...withState(State), RestartCount: 7 }];
  expect(await ask()).toEqual([
    ["fail", "one-kafka is starting", expect.anything()],
    ["fail", "one-kafka was killed: out of memory", expect.stringContaining("memoryMiB to more")],
    ["warn", "one-kafka restarted 7 times", "run make logs STACK=dev"],
  ]);
});

test("healthy services are counted", async () => {
  expect(await ask()).toEqual([["ok", "1 run and are healthy"]]);
  containers = [];
  expect(await ask()).toEqual([["ok", "none run"]]);
});
