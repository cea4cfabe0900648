import { beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { fakeStack } from "./fake-stack.ts";
import { commandError } from "./fake-workspace.ts";
import { emptyRoot } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
/** Names of the engine's objects of this state, which are their ids, by kind. */
let held: Record<string, string[]>;
/** Those of another state with the same name. */
let foreign: Record<string, string[]>;
/** Docker commands that change something. */
let asked: string[];
let names: string[];
let isBackendUp: boolean;
vi.mock("../../../terminal/docker.ts", () => ({
  runDocker: async (...args: string[]) => void asked.push(args.join(" ")),
  dockerRows: async (kind: string, ...args: string[]) => {
    const owned = held[kind] ?? [];
    const others = foreign[kind] ?? [];
    if (args.includes("label=event-pipeline.identity=own")) return pairs(owned);
    if (!args.includes("label=event-pipeline.stack=dev")) throw new Error("no owner, no name");
    if (!args.includes("label=event-pipeline.protected=true")) return pairs([...owned, ...others]);
    return [...owned.map((name) => [name, "own"]), ...others.map((name) => [name, "other"])].filter(
      ([name]) => name?.startsWith("protected"),
    );
  },
}));
const pairs = (names: readonly string[]) => names.map((name) => [name, name]);
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  isRecorded: async (name: string) => {
    if (!isBackendUp) throw new UserError("Pulumi refused a command: no such host");
    return names.includes(name);
  },
  openStack: async () => stack,
  exportState: async () => stack.deployment,
  unprotect: async () => void stack.done.push("unprotect"),
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
  foreign = {};
  asked = [];
  isBackendUp = true;
  names = ["dev"];
});

const cutOff = () => stack.deployment.pending_operations.push({ type: "creating" });
const records = (...ids: string[]) =>
  stack.deployment.resources.push(
    { urn: "urn::random:index/randomId:RandomId::identity", outputs: { hex: "own" } },
    ...ids.map((id) => ({ urn: `urn:${id}`, id })),
  );

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
      expect.objectContaining({ exclude: [], clearPendingCreates: false }),
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

test("down keeps all volumes, secrets and images", async () => {
  records("c");
  await down("dev");
  expect(stack.destroy).toHaveBeenCalledWith(
    expect.objectContaining({
      exclude: [
        ...["**docker:index/volume:Volume::**", "**random:index/**"],
        "**command:local:Command::built-images",
      ],
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
    foreign = { ps: ["c"], volume: ["v"] };
    await expect(clean("dev", { foreign: isForeign })).rejects.toThrow("Pulumi refused a command");
    expect([...asked, ...stack.done]).toEqual([]);
  });

  test("removes protected data only with that consent, without a start first", async () => {
    records();
    stack.deployment.resources.push({ urn: "urn:v", id: "v", protect: true });
    held = { volume: ["protected"] };
    for (const consent of [{}, { foreign: true }]) {
      await expect(clean("dev", consent)).rejects.toMatchObject({
        message: "The data of the stack dev are protected. Nothing was removed",
        hint: expect.stringMatching(/^run make clean STACK=dev (FOREIGN=1 )?PROTECTED=1 /),
      });
    }
    expect([stack.done, asked]).toEqual([[], []]);
    await clean("dev", { protected: true });
    expect(stack.done).toEqual(["unprotect", "destroy", "remove"]);
  });

  test("sees the protection of another state's volumes, and only of theirs", async () => {
    records();
    held = { volume: ["protected-own"] };
    foreign = { volume: ["protected-theirs"] };
    await expect(clean("dev", { foreign: true })).rejects.toMatchObject({
      message: "The data of the stack dev are protected (protected-theirs). Nothing was removed",
      hint: expect.stringContaining("FOREIGN=1 PROTECTED=1"),
    });
    expect([stack.done, asked]).toEqual([[], []]);
    await clean("dev");
    expect(asked).toEqual(["volume rm protected-own"]);
  });

  test("that cannot remove everything says so", async () => {
    stack.destroy.mockRejectedValue(new Error("code: 255"));
    await expect(clean("dev")).rejects.toThrow("Not everything was removed");
    expect(stack.done).not.toContain("remove");
  });

  test("is refused for a name without a stack, unless it is another backend's", async () => {
    await requireDeletable("dev", {});
    await expect(requireDeletable("typo", {})).rejects.toThrow("There is no stack typo");
    await requireDeletable("typo", { foreign: true });
  });

  test.each([
    ["without a stack here", [], () => undefined],
    ["with a stack that was never started", ["dev"], () => undefined],
    // As a start that the program refuses leaves it.
    ["with a stack that has resources of its own", ["dev"], () => records("secret")],
  ])("removes another state's objects only on request, %s", async (_, here, arrange) => {
    names = here;
    arrange();
    foreign = { ps: ["theirs"], volume: ["data"], image: ["i"] };
    await clean("dev");
    expect(asked).toEqual([]);
    await clean("dev", { foreign: true });
    expect(asked).toEqual(["rm --force --volumes theirs", "volume rm data", "image rm --force i"]);
  });

  test("asks a person, and the answer no deletes nothing", async () => {
    const ask = vi.fn().mockResolvedValue(false);
    await expect(confirmDeletion("dev", {}, ask)).rejects.toThrow("Nothing was deleted");
    expect(ask).toHaveBeenCalledWith("Delete the stack dev with its data and secrets?");
    await confirmDeletion("dev", { YES: "1" }, ask);
    await confirmDeletion("dev", {}, ask.mockResolvedValue(true));
  });

  test("needs YES=1 without a terminal", async () => {
    await expect(confirmDeletion("dev", {}, undefined)).rejects.toMatchObject({
      message: expect.stringContaining("must be confirmed"),
      hint: "run make clean STACK=dev YES=1",
    });
    await confirmDeletion("dev", { YES: "1" }, undefined);
  });
});
