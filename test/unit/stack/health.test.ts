import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

/** Answers of the engine, one for each request; the last repeats. */
let states: object[];
let isMissing: boolean;
vi.mock("../../../terminal/process.ts", () => ({
  execute: async (_: string, [command]: string[]) => {
    if (command === "logs") return { code: 0, stdout: "why\n", stderr: "it fails\n" };
    if (isMissing) return { code: 1, stdout: "", stderr: "no such container" };
    const state = states.length > 1 ? states.shift() : states[0];
    return { code: 0, stdout: JSON.stringify(state), stderr: "" };
  },
}));
// Waits return at once, but advance the clock.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number) => void vi.setSystemTime(Date.now() + ms),
}));
const { HEALTHY_WITHIN_SECONDS, waitUntilHealthy } = await import(
  "../../../components/shared/health.ts"
);
const { Network } = await import("../../../components/shared/network.ts");
const { Service } = await import("../../../components/shared/service.ts");
const { goldenProgram } = await import("./golden.ts");
const { ofType } = await import("./record.ts");

const running = (health: string | null) => ({
  RestartCount: 0,
  State: { Status: "running", ExitCode: 0, Health: health && { Status: health } },
});
const ended = (Status: string, RestartCount = 0) => ({
  RestartCount,
  State: { Status, ExitCode: 3, Health: null },
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  isMissing = false;
});
afterEach(() => void vi.useRealTimers());

describe("a container", () => {
  test.each([
    ["is healthy after its start", [ended("created"), running("starting"), running("healthy")]],
    ["without a check is healthy when it runs", [running(null)]],
    [
      "may be restarted a few times",
      [ended("restarting", 9), ended("restarting", 11), running("healthy")],
    ],
    ["may recover from an outage before", [running("unhealthy"), running("healthy")]],
  ])("%s", async (_, answers) => {
    states = answers;
    await waitUntilHealthy("one");
    expect(states).toHaveLength(1);
  });

  test.each([
    ["unhealthy", [running("starting"), running("unhealthy")]],
    ["exited with code 3", [ended("exited")]],
    ["restarting with code 3", [ended("restarting", 5), ended("restarting", 8)]],
    ["paused", [ended("paused")]],
  ])("that is %s fails early with the end of its log", async (state, answers) => {
    states = answers;
    const began = Date.now();
    await expect(waitUntilHealthy("one")).rejects.toThrow(
      `one is not healthy: ${state}\n  why\n  it fails\n  hint: `,
    );
    expect(Date.now()).toBeLessThan(began + 1000);
  });

  test("that does not exist or never becomes healthy fails, too", async () => {
    states = [running("starting")];
    await expect(waitUntilHealthy("one")).rejects.toThrow("one is not healthy: starting");
    isMissing = true;
    await expect(waitUntilHealthy("one")).rejects.toThrow("one is not healthy: no such container");
  });
});

test("the time limit exceeds that of every service's own check", () => {
  const secondsOf = (text: string) =>
    [...text.matchAll(/(\d+)([ms])/g)].reduce(
      (sum, [, n, u]) => sum + Number(n) * (u === "m" ? 60 : 1),
      0,
    );
  for (const { name, inputs } of ofType(goldenProgram(), "Container")) {
    if (!inputs.healthcheck) continue;
    const { interval, timeout, retries } = inputs.healthcheck as {
      interval: string;
      timeout: string;
      retries: number;
    };
    const longest = secondsOf(interval) * (retries + 1) + secondsOf(timeout) + 30;
    expect(longest, name).toBeLessThan(HEALTHY_WITHIN_SECONDS);
  }
});

test("a service starts once the one that it needs is healthy", async () => {
  const started: string[] = [];
  const newResource = ({ type, name, inputs }: pulumi.runtime.MockResourceArgs) => {
    if (type === "docker:index/container:Container") {
      started.push(`${name} after ${states.length} more answers`);
    }
    return { id: name, state: { ...inputs, imageId: "i" } };
  };
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "event-pipeline", "dev");
  states = [running("starting"), running("starting"), running("healthy")];
  const network = new Network("network", { stack: "dev", bind: "127.0.0.1", portOffset: 0 });
  const health = { test: ["CMD"], everySeconds: 1, timeoutSeconds: 1, unhealthyAfterSeconds: 1 };
  const args = {
    network,
    image: "a:1",
    user: "1:1",
    health,
    graceSeconds: 1,
    memoryMiB: 1,
    cpus: 1,
  };
  const first = new Service("first", args, {});
  new Service("second", { ...args, uses: [first.use] }, {});
  await pulumi.runtime.disconnect();
  expect(started).toEqual(["first after 3 more answers", "second after 1 more answers"]);
});
