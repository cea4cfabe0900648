import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { UserError } from "../../../contract/errors.ts";
import { fakeStack, lockedBy } from "./fake-stack.ts";
import { emptyRoot } from "./own-root.ts";

interface Part {
  readonly id: string;
  readonly name: string;
}
let stack: ReturnType<typeof fakeStack>;
/** The engine's objects of the stack, by kind. */
let held: Record<string, Part[]>;
let asked: string[];
/** Kinds of objects that the engine was asked to list. */
let listedKinds: string[];
let isBackendUp: boolean;
const removed = (kind: string) => async (parts: Part[]) =>
  void asked.push(...parts.map(({ id }) => `${kind} ${id}`));
vi.mock("../../../terminal/docker.ts", () => ({
  docker: async (...args: string[]) => void asked.push(args.join(" ")),
}));
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  owned: async (kind: string) => {
    listedKinds.push(kind);
    return held[kind] ?? [];
  },
  ownedOfAll: async (kind: string) =>
    (held[kind] ?? []).map((part) => ({ ...part, kind, stack: "dev" })),
  removeContainers: (parts: Part[]) => removed("container")(parts),
  removeNetworks: (parts: Part[]) => removed("network")(parts),
}));
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
// Waits return at once, but advance the clock.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number) => void vi.setSystemTime(Date.now() + ms),
}));
let names: string[];
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  isRecorded: async (name: string) => {
    if (!isBackendUp) throw new UserError("Pulumi refused a command: no such host");
    return names.includes(name);
  },
  openStack: async () => stack,
  removeStack: async () => void stack.done.push("remove"),
  requireStack: async (name: string) => {
    if (!names.includes(name)) throw new UserError(`There is no stack ${name}`);
  },
  recordedStacks: async () => names.map((name) => ({ name, isSelected: false })),
}));
const { clean, down, requireDeletable } = await import("../../../stack/lifecycle/down.ts");
const { previewWith } = await import("../../../stack/lifecycle/run-preview.ts");
const { leftoverFindings } = await import("../../../stack/doctor/leftovers.ts");

emptyRoot();
const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
const part = (name: string): Part => ({ id: name, name });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  stack = fakeStack("dev");
  held = {};
  asked = [];
  listedKinds = [];
  isBackendUp = true;
  names = ["dev"];
});

afterEach(() => vi.useRealTimers());

const cutOff = () => stack.deployment.pending_operations.push({ type: "creating" });
const records = (...ids: string[]) =>
  stack.deployment.resources.push(...ids.map((id) => ({ urn: `urn:${id}`, id })));

describe("objects that Pulumi has not recorded", () => {
  test("of a killed run are removed, except volumes", async () => {
    records("known");
    cutOff();
    held = {
      container: [part("known"), part("lost")],
      network: [part("net")],
      volume: [part("v")],
    };
    await down("dev");
    expect(printed).toHaveBeenLastCalledWith("Stopped the stack dev. Its data are kept.");
    expect(asked).toEqual(["container lost", "network net"]);
    expect(stack.done).toEqual(["refresh", "destroy"]);
    expect(stack.refresh).toHaveBeenCalledWith(
      expect.objectContaining({ exclude: ["**grafana:*/**"], clearPendingCreates: false }),
    );
  });

  test("of a run in progress are kept, because its lock is found first", async () => {
    cutOff();
    held = { container: [part("being-created")] };
    stack.refresh.mockRejectedValue(lockedBy(hostname(), process.pid));
    await expect(down("dev")).rejects.toThrow("Another command works on the stack dev");
    expect([...asked, ...stack.done]).toEqual([]);
  });

  test("are listed again under the lock, because a run that has just ended has recorded them", async () => {
    cutOff();
    held = { container: [part("created"), part("lost")] };
    stack.refresh.mockImplementation(async () => void records("created"));
    await down("dev");
    expect(asked).toEqual(["container lost"]);
  });

  test("are reported and kept by a preview", async () => {
    cutOff();
    held = { container: [part("lost")], volume: [part("v")] };
    await previewWith("dev", {});
    expect(printed).toHaveBeenCalledWith(
      expect.stringContaining("Not recorded by Pulumi: container lost."),
    );
    expect([...asked, ...stack.done]).toEqual([]);
  });

  test.each(["container", "volume"])(
    "are otherwise another project's %s, and refused",
    async (kind) => {
      held = { [kind]: [part("theirs")] };
      await expect(down("dev")).rejects.toMatchObject({
        message: expect.stringContaining(`does not record: ${kind} theirs`),
        hint: expect.stringContaining("make up STACK=dev-2"),
      });
      expect(stack.done).toEqual([]);
    },
  );

  test("of a recorded stack are named with the commands that remove them, and no data", async () => {
    records("known");
    held = { container: [part("c1"), part("c2")], network: [part("net")], volume: [part("v")] };
    await expect(down("dev")).rejects.toMatchObject({
      message: expect.stringMatching(/does not record: container c1, container c2, network net$/),
      hint: "if nobody uses them, run docker rm -f c1 c2; docker network rm net; then retry",
    });
    expect([...asked, ...stack.done]).toEqual([]);
  });

  test("may be a volume of a stack that was up", async () => {
    records("known");
    held = { volume: [part("of-a-run-killed-twice")] };
    await down("dev");
    expect(stack.done).toEqual(["destroy"]);
  });
});

describe("down", () => {
  const urn = (path: string) => `urn:pulumi:dev::event-pipeline::${path}`;

  test("keeps all volumes and secrets", async () => {
    stack.deployment.resources.push({ urn: urn("docker:index/container:Container::c"), id: "c" });
    await down("dev");
    expect(stack.destroy).toHaveBeenCalledWith(
      expect.objectContaining({
        exclude: ["**docker:index/volume:Volume::**", "**random:index/**"],
      }),
    );
  });
});

describe("clean", () => {
  test("removes Pulumi's resources, unrecorded objects and images, then the stack", async () => {
    records("known");
    cutOff();
    held = { image: [part("i"), part("i")], volume: [part("v")], network: [part("n")] };
    held.container = [part("c")];
    await clean("dev");
    expect(printed).toHaveBeenLastCalledWith("Removed the stack dev with its data.");
    expect(asked).toEqual([
      ...["container c", "network n", "rm --force --volumes c", "network rm n"],
      ...["volume rm v", "image rm --force i"],
    ]);
    expect(stack.destroy).toHaveBeenCalledWith(expect.objectContaining({ exclude: [] }));
    expect(stack.done).toEqual(["refresh", "destroy", "remove"]);
  });

  test.each([false, true])(
    "removes nothing and makes no Docker request without a backend (foreign: %s)",
    async (isForeign) => {
      isBackendUp = false;
      held = { container: [part("c")], volume: [part("v")] };
      await expect(clean("dev", isForeign)).rejects.toThrow("Pulumi refused a command");
      expect([...asked, ...listedKinds, ...stack.done]).toEqual([]);
    },
  );

  test.each([false, true])(
    "refuses to remove protected data, also with FOREIGN=1 (%s)",
    async (isForeign) => {
      stack.deployment.resources.push({ urn: "urn:v", id: "v", protect: true });
      held = { container: [part("v")] };
      await expect(clean("dev", isForeign)).rejects.toMatchObject({
        message: "The data of the stack dev are protected. Nothing was removed",
        hint: expect.stringMatching(/^run make init STACK=dev .*set protectData to false .*retry$/),
      });
      expect([stack.done, asked]).toEqual([[], []]);
    },
  );

  test("is refused for a name without a stack and without objects", async () => {
    await requireDeletable("dev");
    await expect(requireDeletable("typo")).rejects.toThrow("There is no stack typo");
    held = { volume: [part("v")] };
    await requireDeletable("typo");
  });

  test("removes another project's stack only on request", async () => {
    held = { container: [part("theirs")] };
    await expect(clean("dev")).rejects.toThrow("does not record");
    await clean("dev", true);
    expect(asked).toEqual(["rm --force --volumes theirs"]);
  });
});

describe("the doctor", () => {
  const context = { stack: "dev", config: parseStackConfig({}) };
  const ask = async () => (await leftoverFindings(context))[0];

  test("finds nothing if everything is recorded, else names the stack", async () => {
    records("v");
    held = { volume: [part("v")] };
    expect(await ask()).toMatchObject({ detail: "none" });
    names = [];
    expect(await ask()).toMatchObject({
      detail: "of a stack dev that Pulumi's backend here does not record",
    });
  });

  test.each([
    ["a killed run", ["known"], "container", "run make up STACK=dev, which removes them"],
    ["unknown origin", ["known"], "container", "if nobody uses them, run docker rm -f theirs"],
    ["unknown origin", ["known"], "volume", "docker volume rm with these names, if nobody"],
    ["unknown origin", [], "container", "make up STACK=dev-2; or make clean STACK=dev FOREIGN=1"],
  ])(
    "names objects of %s beside %j resources, and how to remove a %s",
    async (origin, recorded, kind, hint) => {
      records(...recorded);
      if (origin === "a killed run") cutOff();
      held = { [kind]: [part("theirs")] };
      expect(await ask()).toMatchObject({
        detail: `of dev, not recorded by Pulumi: ${kind} theirs`,
        hint: expect.stringContaining(hint),
      });
    },
  );
});
