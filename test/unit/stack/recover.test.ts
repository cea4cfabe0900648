import { beforeEach, describe, expect, test, vi } from "vitest";
import { ownState } from "./own-state.ts";

/** What is recorded, and what the container engine holds. */
let resources: object[];
let pending: object[];
let present: Record<string, { id: string; name: string; owner: string }[]>;
let removed: string[];
vi.mock("../../../pipeline/stack/manage/docker.ts", () => ({
  removeContainers: async (all: { name: string }[]) =>
    void removed.push(...all.map(({ name }) => name)),
  removeNetworks: async (all: { name: string }[]) =>
    void removed.push(...all.map(({ name }) => name)),
  owned: async (kind: string) => present[kind] ?? [],
}));
vi.mock("../../../pipeline/stack/manage/pulumi.ts", async (original) => ({
  ...(await original<object>()),
  pulumiText: async () =>
    JSON.stringify({ deployment: { resources, pending_operations: pending } }),
}));
const { recover } = await import("../../../pipeline/stack/manage/recover.ts");
const { previewWith } = await import("../../../pipeline/stack/manage/preview-of.ts");
const { beginRun, endRun } = await import("../../../pipeline/stack/manage/under-way.ts");
const { readOwner } = await import("../../../pipeline/stack/state.ts");

ownState();

beforeEach(() => {
  resources = [];
  pending = [];
  present = {};
  removed = [];
});

test("of a start that was cut off, containers go before the network that they use", async () => {
  beginRun("one");
  present = {
    network: [{ id: "n", name: "event-pipeline-one-network", owner: readOwner() }],
    container: [{ id: "c", name: "event-pipeline-one-kafka", owner: readOwner() }],
  };
  await recover("one");
  expect(removed).toEqual(["event-pipeline-one-kafka", "event-pipeline-one-network"]);
});

test("a network stays where no run of ours was cut off, and a recorded one always", async () => {
  const network = { id: "n", name: "event-pipeline-one-network", owner: readOwner() };
  present = { network: [network] };
  await recover("one");
  beginRun("one");
  resources = [{ urn: "urn:network", id: "n" }];
  await recover("one");
  resources = [];
  present = { network: [{ ...network, name: "event-pipeline-one" }] };
  await recover("one");
  expect(removed).toEqual([]);
});

test.each(["container", "network", "volume"])(
  "another checkout's %s is refused, with its maker's mark",
  async (kind) => {
    present = { [kind]: [{ id: "x", name: "event-pipeline-one-x", owner: "somebody" }] };
    await expect(recover("one")).rejects.toMatchObject({
      message: expect.stringMatching(
        `this checkout does not know.*${kind} event-pipeline-one-x.*holds somebody`,
      ),
      next: expect.stringContaining("make clean STACK=one FOREIGN=1"),
    });
    expect(removed).toEqual([]);
  },
);

test.each(["container", "volume"])(
  "a preview is refused by a %s as well: what it shows would not come to be",
  async (kind) => {
    present = { [kind]: [{ id: "x", name: "event-pipeline-one-kafka", owner: "somebody" }] };
    const preview = previewWith("one", { config: "dev" });
    await expect(preview).rejects.toThrow(/this checkout does not know/);
  },
);

test("a network that is recorded is ours, whatever its label says", async () => {
  resources = [{ urn: "urn:network", id: "n" }];
  present = { network: [{ id: "n", name: "event-pipeline-one", owner: "pulumi" }] };
  await expect(recover("one")).resolves.toEqual(resources);
});

const DATA = "event-pipeline-one-kafka-data";
const dataOf = (owner: string) => ({ volume: [{ id: DATA, name: DATA, owner }] });

test("of many foreign parts the data are named first", async () => {
  const files = Array.from({ length: 20 }, (_, index) => `event-pipeline-one-files-${index}`);
  const volumes = [...files, DATA].map((name) => ({ id: name, name, owner: "somebody" }));
  present = { volume: volumes };
  await expect(recover("one")).rejects.toThrow(
    new RegExp(`\\(volume ${DATA}, .* and 13 more\\), made by`),
  );
});

test("volumes of a start of ours that was cut off are taken up, recorded ones are ours", async () => {
  present = dataOf(readOwner());
  await expect(recover("one")).resolves.toEqual([]);
  resources = [{ urn: "urn:volume", id: DATA }];
  present = dataOf("somebody");
  await expect(recover("one")).resolves.toEqual(resources);
});

test("who touches no data is not refused for another's", async () => {
  present = dataOf("somebody");
  await expect(recover("one", ["container", "network"])).resolves.toEqual([]);
});

describe("containers of this checkout that nobody recorded", () => {
  const NAME = "event-pipeline-one-kafka";
  beforeEach(() => {
    present = { container: [{ id: "x", name: NAME, owner: readOwner() }] };
  });

  test("stay where no run of ours was cut off: another backend may record them", async () => {
    beginRun("one");
    endRun("one");
    await expect(recover("one")).rejects.toMatchObject({
      message: expect.stringMatching(`^Containers of the stack one .*${NAME}`),
      next: expect.stringMatching(/pulumi destroy.*docker rm --force/),
    });
    expect(removed).toEqual([]);
  });

  test("go where one was", async () => {
    beginRun("one");
    await recover("one");
    expect(removed).toEqual([NAME]);
  });

  test("go where Pulumi has operations on record that nobody finished", async () => {
    pending = [{ type: "creating" }];
    await recover("one");
    expect(removed).toEqual([NAME]);
  });
});
