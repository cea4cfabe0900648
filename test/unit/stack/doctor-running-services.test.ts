import { beforeEach, expect, test, vi } from "vitest";
import { planStack } from "../../../components/services.ts";
import { clusterId } from "../../../components/shared/names.ts";
import { UserError } from "../../../contract/errors.ts";
import { planContext } from "./context.ts";

/** Containers in the engine's list, and its answer to the request for the broker's file. */
let containers: object[];
let meta: () => string;
/** Set if the engine cannot list its containers. */
let inspectFails: boolean;

vi.mock("../../../terminal/docker.ts", async (original) => ({
  ...(await original<object>()),
  docker: async (command: string) => {
    if (command === "cp") return meta();
    if (command !== "inspect") throw refuse(`${command}: not while it restarts`);
    if (inspectFails) throw refuse("inspect: no such object");
    return JSON.stringify(containers);
  },
}));
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  serviceRows: async () => containers.map((_, index) => ["role", `id${index}`]),
}));
const { runningFindings } = await import("../../../stack/doctor/running-services.ts");

const refuse = (text: string) => new UserError(`docker ${text}`, "make doctor");

/** Ports without a listener. */
const inputs = planContext({ network: { portOffset: 22_500 } });
const context = { stack: "dev", plan: planStack(inputs), network: inputs.config.network };
const service = context.plan.broker.service;
const volume = service?.volumes[0]?.volume ?? "";

/** Restarts in a loop, which the engine calls running. */
const restarting = {
  Name: `/${service?.container.name}`,
  RestartCount: 7,
  State: { Running: true, Restarting: true, OOMKilled: true, Health: { Status: "starting" } },
};

/** `docker cp … -` prints a tar: a header of 512 bytes, the file, zeros. */
const tarOf = (id: string) => (): string =>
  `${"meta.properties".padEnd(512, "\0")}#\n#Sat Nov 21 20:00:00 UTC 2026\ncluster.id=${id}\nnode.id=1\nversion=1\n${"\0".repeat(900)}`;

beforeEach(() => {
  containers = [restarting];
  meta = tarOf(clusterId(volume));
  inspectFails = false;
});

const ask = async (): Promise<string[]> =>
  (await runningFindings(context)).map(
    ({ check, status, detail }) => `${status} ${check}: ${detail}`,
  );

test("checks the storage of a broker that restarts in a loop, and hides nothing", async () => {
  meta = tarOf("ofAnotherCluster");
  const name = service?.container.name;
  expect(await ask()).toEqual(
    expect.arrayContaining([
      `fail containers: ${name} was killed: out of memory`,
      `warn containers: ${name} restarted 7 times`,
      `fail cluster id: ${volume} contains the data of another cluster (ofAnotherCluster)`,
      "fail addresses: port 31592 (broker.port) does not answer: nothing listens there",
    ]),
  );
});

test("checks the storage of a stopped broker", async () => {
  containers = [{ ...restarting, State: { ...restarting.State, Running: false } }];
  expect(await ask()).toContain("ok cluster id: belongs to its volume");
});

test("a failed check is a finding beside the others", async () => {
  meta = () => {
    throw refuse("cp: device or resource busy");
  };
  const found = await ask();
  expect(found).toContain("fail cluster id: docker cp: device or resource busy");
  expect(found.filter((line) => line.startsWith("fail containers"))).not.toEqual([]);
  expect(found.filter((line) => line.startsWith("fail addresses"))).not.toEqual([]);

  inspectFails = true;
  meta = tarOf(clusterId(volume));
  expect(await ask()).toEqual(
    expect.arrayContaining([
      "fail containers: docker inspect: no such object",
      "ok cluster id: belongs to its volume",
    ]),
  );
});

test("a broker that was never formatted reports nothing about its storage", async () => {
  meta = () => {
    throw refuse("cp: Error response from daemon: Could not find the file /a in container b");
  };
  expect((await ask()).filter((line) => line.includes("cluster id"))).toEqual([]);
});

test("a paused service is reported with the command that resumes it, whatever its previous health", async () => {
  const State = { Running: true, Paused: true, OOMKilled: false, Health: { Status: "healthy" } };
  containers = [{ Name: "/one-kafka", RestartCount: 0, State }];
  expect(await runningFindings(context)).toContainEqual(
    expect.objectContaining({
      status: "fail",
      detail: "one-kafka is paused",
      hint: "run docker unpause one-kafka",
    }),
  );
});
