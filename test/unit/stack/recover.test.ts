import { beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { fakeStack } from "./fake-stack.ts";
import { commandError } from "./fake-workspace.ts";
import { emptyRoot } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
/** Names of the engine's objects of the stack, which are their ids, by kind. */
let held: Record<string, string[]>;
/** Docker commands that change something. */
let asked: string[];
let names: string[];
let isBackendUp: boolean;
vi.mock("../../../terminal/docker.ts", () => ({
  runDocker: async (...args: string[]) => void asked.push(args.join(" ")),
  dockerRows: async (kind: string) => (held[kind] ?? []).map((name) => [name, name]),
}));
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
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
}));
const { clean, confirmDeletion, down, requireDeletable } = await import(
  "../../../stack/lifecycle/down.ts"
);

emptyRoot();
const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);

beforeEach(() => {
  stack = fakeStack("dev");
  held = {};
  asked = [];
  isBackendUp = true;
  names = ["dev"];
});

const cutOff = () => stack.deployment.pending_operations.push({ type: "creating" });
const records = (...ids: string[]) =>
  stack.deployment.resources.push(...ids.map((id) => ({ urn: `urn:${id}`, id })));

describe("what Pulumi has not recorded", () => {
  test("is removed after a killed run, except volumes", async () => {
    records("known");
    cutOff();
    held = { ps: ["known", "lost"], network: ["net"], volume: ["v"] };
    await down("dev");
    expect(printed).toHaveBeenLastCalledWith("Stopped the stack dev. Its data are kept.");
    expect(asked).toEqual(["rm --force --volumes lost", "network rm net"]);
    expect(stack.done).toEqual(["refresh", "destroy"]);
    expect(stack.refresh).toHaveBeenCalledWith(
      expect.objectContaining({ exclude: ["**grafana:*/**"], clearPendingCreates: false }),
    );
  });

  test("is kept of a run in progress, because its lock is found first", async () => {
    cutOff();
    held = { ps: ["being-created"] };
    stack.refresh.mockRejectedValue(commandError("error: the stack is locked, run pulumi cancel"));
    await expect(down("dev")).rejects.toThrow("the stack is locked, run pulumi cancel");
    expect([...asked, ...stack.done]).toEqual([]);
  });

  test("is listed under the lock, because a run that has just ended has recorded its own", async () => {
    cutOff();
    held = { ps: ["created", "lost"] };
    stack.refresh.mockImplementation(async () => void records("created"));
    await down("dev");
    expect(asked).toEqual(["rm --force --volumes lost"]);
  });
});

test("down keeps all volumes and secrets", async () => {
  records("c");
  await down("dev");
  expect(stack.destroy).toHaveBeenCalledWith(
    expect.objectContaining({
      exclude: ["**docker:index/volume:Volume::**", "**random:index/**"],
    }),
  );
});

describe("clean", () => {
  test("removes Pulumi's resources, unrecorded objects and images, then the stack", async () => {
    records("known");
    held = { image: ["i", "i"], volume: ["v"], network: ["n"], ps: ["c"] };
    await clean("dev");
    expect(printed).toHaveBeenLastCalledWith("Removed the stack dev with its data.");
    expect(asked).toEqual([
      ...["rm --force --volumes c", "network rm n", "volume rm v", "image rm --force i"],
    ]);
    expect(stack.destroy).toHaveBeenCalledWith(expect.objectContaining({ exclude: [] }));
    expect(stack.done).toEqual(["destroy", "remove"]);
  });

  test.each([false, true])("removes nothing without a backend (foreign: %s)", async (isForeign) => {
    isBackendUp = false;
    held = { ps: ["c"], volume: ["v"] };
    await expect(clean("dev", isForeign)).rejects.toThrow("Pulumi refused a command");
    expect([...asked, ...stack.done]).toEqual([]);
  });

  test("refuses to remove protected data, also with FOREIGN=1", async () => {
    stack.deployment.resources.push({ urn: "urn:v", id: "v", protect: true });
    held = { ps: ["v"] };
    for (const isForeign of [false, true]) {
      await expect(clean("dev", isForeign)).rejects.toMatchObject({
        message: "The data of the stack dev are protected. Nothing was removed",
        hint: expect.stringMatching(/set protectData to false in Pulumi\.dev\.yaml.*retry$/),
      });
    }
    expect([stack.done, asked]).toEqual([[], []]);
  });

  test("that cannot remove everything says so", async () => {
    stack.destroy.mockRejectedValue(new Error("code: 255"));
    await expect(clean("dev")).rejects.toThrow("Not everything was removed");
    expect(stack.done).not.toContain("remove");
  });

  test("is refused for a name without a stack, unless it is another backend's", async () => {
    await requireDeletable("dev");
    await expect(requireDeletable("typo")).rejects.toThrow("There is no stack typo");
    await requireDeletable("typo", true);
  });

  test.each([[[]], [["dev"]]])(
    "removes another backend's stack only on request: %j",
    async (here) => {
      // Recorded by make init, without resources.
      names = here;
      held = { ps: ["theirs"] };
      await clean("dev");
      expect(asked).toEqual([]);
      await clean("dev", true);
      expect(asked).toEqual(["rm --force --volumes theirs"]);
    },
  );

  test("asks a person, and the answer no deletes nothing", async () => {
    const ask = vi.fn().mockResolvedValue(false);
    await expect(confirmDeletion("dev", {}, ask)).rejects.toThrow("Nothing was deleted");
    expect(ask).toHaveBeenCalledWith("Delete the stack dev with its data and secrets?");
    await confirmDeletion("dev", { YES: "1" }, ask);
    await confirmDeletion("dev", {}, undefined);
    await confirmDeletion("dev", {}, ask.mockResolvedValue(true));
  });
});
