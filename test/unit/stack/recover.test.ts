import { beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { FakePulumi, fakeModule } from "./fake-pulumi.ts";
import { emptyRoot } from "./own-root.ts";

let pulumi: FakePulumi;
/** Names of the engine's objects of this state, which are their ids, by kind. */
let held: Record<string, string[]>;
/** Those of another state with the same name. */
let foreign: Record<string, string[]>;
/** Volume that ClickHouse's container mounts; undefined without a container. */
let mounted: string | undefined;
/** Snapshots that a running ClickHouse lists in its volume; undefined of a stopped one. */
let snapshots: string[] | undefined;
let volumes: string[];
/** Docker commands that change something. */
let asked: string[];
vi.mock("../../../terminal/docker.ts", () => ({
  runDocker: async (...args: string[]) => {
    if (!["exec", "inspect"].includes(args[0] ?? "")) return void asked.push(args.join(" "));
    const answer = args[0] === "inspect" ? mounted : snapshots?.join("\n");
    if (answer === undefined) throw new UserError("No such container, or it is not running");
    return answer;
  },
  dockerRows: async (kind: string, ...args: string[]) => {
    const filter = args.find((arg) => arg.startsWith("name=^"));
    if (filter) return pairs(volumes.filter((name) => filter === `name=^${name}$`));
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
vi.mock("../../../stack/lifecycle/pulumi.ts", () => fakeModule(() => pulumi));
const { clean, confirmDeletion, down, requireDeletable } = await import(
  "../../../stack/lifecycle/down.ts"
);

emptyRoot();
const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);

beforeEach(() => {
  pulumi = new FakePulumi();
  held = {};
  foreign = {};
  snapshots = undefined;
  mounted = undefined;
  volumes = [];
  asked = [];
});

const cutOff = () => pulumi.state.pending_operations.push({ type: "creating" });
const records = (...ids: string[]) => pulumi.holds(...ids);

describe("what Pulumi has not recorded", () => {
  test("is removed after a killed run, except volumes", async () => {
    records("known");
    cutOff();
    held = { ps: ["known", "lost"], network: ["net"], volume: ["v"] };
    await down("dev");
    expect(printed).toHaveBeenLastCalledWith("Stopped the stack dev. Its data are kept.");
    expect(asked).toEqual(["rm --force --volumes lost", "network rm net"]);
    expect(pulumi.done).toEqual(["refresh", expect.stringContaining("destroy")]);
  });

  test("is kept of a run in progress, because its lock is found first", async () => {
    cutOff();
    held = { ps: ["being-created"] };
    pulumi.before = () => {
      throw new UserError("Pulumi cannot compare");
    };
    await expect(down("dev")).rejects.toThrow("Pulumi cannot compare");
    expect([...asked, ...pulumi.done]).toEqual([]);
  });

  test("is listed under the lock, because a run that has just ended has recorded its own", async () => {
    cutOff();
    held = { ps: ["created", "lost"] };
    pulumi.before = (operation) => {
      if (operation === "refresh") records("created");
    };
    await down("dev");
    expect(asked).toEqual(["rm --force --volumes lost"]);
  });
});

test("down removes only containers, networks and what depends on them", async () => {
  records("c");
  await down("dev");
  expect(pulumi.done).toEqual([
    "destroy --target **docker:index/container:Container::** --target **docker:index/network:Network::** --target-dependents",
  ]);
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
    expect(pulumi.done).toEqual(["destroy --ignore-protect", "remove"]);
  });

  const OWN = "event-pipeline-dev-snapshots";
  test.each([
    ["keeps and names", OWN, ["a", "b"], [], `Kept the snapshots a, b in the volume ${OWN};`],
    ["keeps, unread of a stopped container,", OWN, undefined, [], "Kept the snapshots in the"],
    [
      "keeps, without a container,",
      undefined,
      undefined,
      [],
      `Kept the snapshots in the volume ${OWN};`,
    ],
    ["removes an empty volume of", OWN, [], [`volume rm ${OWN}`], "Removed the"],
    [
      "names only the mounted volume of",
      "other",
      ["a"],
      [],
      "the snapshots a in the volume other;",
    ],
    ["keeps the volumes beside an empty one for", "other", [], [], "Removed the"],
  ])("%s snapshots", async (_, volume, listed, removed, text) => {
    records();
    mounted = volume;
    snapshots = listed;
    volumes = [OWN, "other"];
    await clean("dev");
    expect(asked).toEqual(removed);
    expect(printed).toHaveBeenLastCalledWith(expect.stringContaining(text));
  });

  test.each([false, true])("removes nothing without a backend (foreign: %s)", async (isForeign) => {
    pulumi.beforeQuestion = () => {
      throw new UserError("Pulumi refused a command: no such host");
    };
    foreign = { ps: ["c"], volume: ["v"] };
    await expect(clean("dev", { foreign: isForeign })).rejects.toThrow("Pulumi refused a command");
    expect([...asked, ...pulumi.done]).toEqual([]);
  });

  test("removes protected data only with that consent, without a start first", async () => {
    records();
    const urn = "urn:pulumi:dev::p::docker:index/volume:Volume::v";
    pulumi.state.resources.push({ urn, id: "v", protect: true });
    held = { volume: ["protected"] };
    for (const consent of [{}, { foreign: true }]) {
      await expect(clean("dev", consent)).rejects.toMatchObject({
        message: "The data of the stack dev are protected. Nothing was removed",
        hint: expect.stringMatching(/^run make clean STACK=dev (FOREIGN=1 )?PROTECTED=1 /),
      });
    }
    expect([pulumi.done, asked]).toEqual([[], []]);
    await clean("dev", { protected: true });
    expect(pulumi.done).toEqual(["destroy --ignore-protect", "remove"]);
  });

  test("removes protected keys that no volume needs", async () => {
    records();
    const urn = "urn:pulumi:dev::p::random:index/randomPassword:RandomPassword::k";
    pulumi.state.resources.push({ urn, id: "k", protect: true });
    await clean("dev");
    expect(pulumi.done).toEqual(["destroy --ignore-protect", "remove"]);
  });

  test("sees the protection of another state's volumes, and only of theirs", async () => {
    records();
    held = { volume: ["protected-own"] };
    foreign = { volume: ["protected-theirs"] };
    await expect(clean("dev", { foreign: true })).rejects.toMatchObject({
      message: "The data of the stack dev are protected (protected-theirs). Nothing was removed",
      hint: expect.stringContaining("FOREIGN=1 PROTECTED=1"),
    });
    expect([pulumi.done, asked]).toEqual([[], []]);
    await clean("dev");
    expect(asked).toEqual(["volume rm protected-own"]);
  });

  test("that cannot remove everything says so", async () => {
    pulumi.before = () => {
      throw new UserError("Not everything was removed");
    };
    await expect(clean("dev")).rejects.toThrow("Not everything was removed");
    expect(pulumi.done).not.toContain("remove");
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
    pulumi.record(...here);
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

  test.each([{}, { YES: "0" }, { YES: "" }])("needs YES=1 without a terminal: %o", async (env) => {
    await expect(confirmDeletion("dev", env, undefined)).rejects.toMatchObject({
      message: expect.stringContaining("must be confirmed"),
      hint: "run make clean STACK=dev YES=1",
    });
    await confirmDeletion("dev", { YES: "1" }, undefined);
  });
});
