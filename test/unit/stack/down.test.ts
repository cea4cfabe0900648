import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ownState } from "./own-state.ts";

/** What was asked of the container engine and of Pulumi, in order. */
let asked: string[];
/** Complete arguments of each call of Pulumi. */
let pulumiArgs: string[][];
let isProtected: boolean;
let isReached: boolean;
const owned = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/docker.ts", () => ({
  docker: async (...args: string[]) => asked.push(`docker ${args.join(" ")}`),
  removeNetworks: async () => undefined,
  removeContainers: async (all: { id: string }[]) =>
    void asked.push(...all.map(({ id }) => `remove ${id}`)),
  owned,
}));
vi.mock("../../../pipeline/stack/manage/pulumi.ts", async (original) => ({
  ...(await original<object>()),
  isRecorded: async () => {
    if (!isReached) throw new Error("the backend does not answer");
    return true;
  },
  pulumi: async (_: string, args: string[]) => {
    asked.push(`pulumi ${args[0]}`);
    pulumiArgs.push(args);
    return { code: 0, stdout: "", stderr: "" };
  },
  pulumiText: async () =>
    JSON.stringify({
      deployment: { resources: [{ urn: "urn:a", id: "known", protect: isProtected }] },
    }),
}));
const { clean, down } = await import("../../../pipeline/stack/manage/down.ts");
const { beginRun, wasCutOff } = await import("../../../pipeline/stack/manage/under-way.ts");
const { readOwner } = await import("../../../pipeline/stack/state.ts");
const { configFile } = await import("../../../pipeline/stack/manage/pulumi.ts");

ownState();

beforeEach(() => {
  asked = [];
  pulumiArgs = [];
  isReached = true;
  isProtected = false;
  mkdirSync(dirname(configFile("one")), { recursive: true });
  writeFileSync(configFile("one"), "");
});

test("what a cut-off start has made unrecorded goes before the volumes that it holds", async () => {
  const containers = ["known", "unrecorded"].map((id) => ({ id, name: id, owner: readOwner() }));
  owned.mockImplementation(async (kind: string) => (kind === "container" ? containers : []));
  beginRun("one");
  await clean("one");
  const removal = asked.indexOf("remove unrecorded");
  expect(removal).toBeGreaterThanOrEqual(0);
  expect(asked.indexOf("pulumi destroy")).toBeGreaterThan(removal);
});

/** The engine holds one part of each kind, made by whom it says. */
function present(makers: { container?: string; network?: string; volume?: string }): void {
  owned.mockImplementation(async (kind: keyof typeof makers) => {
    const owner = makers[kind];
    const id = kind === "volume" ? "unrecorded" : "known";
    return owner === undefined ? [] : [{ id, name: `one-${kind}`, owner }];
  });
}

test("down stops what is ours although the data are another checkout's", async () => {
  present({ container: readOwner(), volume: "somebody" });
  beginRun("one");
  await down("one");
  expect(asked).toContain("pulumi destroy");
  // Nothing is left that a later start could take for its own.
  expect(wasCutOff("one")).toBe(false);
});

test.each([
  ["all of it is another's", { container: "other", volume: "other" }, /^make clean there;/],
  ["only data are another's", { container: "own", volume: "other" }, /^make down STACK=one here, /],
  ["only the data are ours", { container: "other", volume: "own" }, /^make down STACK=one there, /],
])("clean refuses and says who goes first where %s", async (_, makers, next) => {
  const marks = { own: readOwner(), other: "somebody" };
  const named = Object.entries(makers).map(([kind, who]) => [kind, marks[who as "own" | "other"]]);
  present(Object.fromEntries(named));
  await expect(clean("one")).rejects.toMatchObject({
    message: expect.stringContaining("holds somebody"),
    next: expect.stringMatching(next),
  });
  expect(asked).toEqual([]);
});

test("clean points nowhere else where both checkouts have data in it", async () => {
  const volumes = [readOwner(), "somebody"].map((owner) => ({ id: owner, name: owner, owner }));
  owned.mockImplementation(async (kind: string) => (kind === "volume" ? volumes : []));
  await expect(clean("one")).rejects.toMatchObject({
    next: "both have data in it; make clean STACK=one FOREIGN=1 removes those of both",
  });
});

test("clean removes nothing of a stack whose data Pulumi protects, down stops it", async () => {
  owned.mockResolvedValue([]);
  isProtected = true;
  await expect(clean("one")).rejects.toMatchObject({
    message: "The data of the stack one are protected. Nothing was removed.",
    next: expect.stringContaining("protectData"),
  });
  expect(asked).toEqual([]);
  await down("one");
  expect(asked).toEqual(["pulumi destroy"]);
});

test("down keeps the data and the generated secrets that are used with it", async () => {
  owned.mockResolvedValue([]);
  await down("one");
  expect(pulumiArgs).toEqual([
    [
      ...["destroy", "--stack", "one", "--config-file", configFile("one")],
      ...["--yes", "--skip-preview"],
      ...["--exclude", "**docker:index/volume:Volume::**", "--exclude", "**random:index/**"],
    ],
  ]);
});

test("clean destroys all of it, and forgets the stack", async () => {
  owned.mockResolvedValue([]);
  await clean("one");
  expect(pulumiArgs[0]).toEqual([
    ...["destroy", "--stack", "one", "--config-file", configFile("one")],
    ...["--yes", "--skip-preview"],
  ]);
  expect(pulumiArgs[1]?.slice(0, 3)).toEqual(["stack", "rm", "one"]);
});

test("clean removes nothing where the backend does not answer: it may protect the data", async () => {
  present({ volume: readOwner() });
  isReached = false;
  await expect(clean("one")).rejects.toThrow("does not answer");
  expect(asked).toEqual([]);
});

describe("of a stack without a record here", () => {
  const left = (kind: string) => [{ id: "x", name: `one-${kind}`, owner: readOwner() }];
  beforeEach(() => rmSync(configFile("one")));

  test.each([
    ["down", down],
    ["clean", clean],
  ])("%s leaves containers of our mark: another backend may record them", async (_, remove) => {
    owned.mockImplementation(async (kind: string) => (kind === "container" ? left(kind) : []));
    await expect(remove("one")).rejects.toThrow(/^Containers of the stack one .*one-container/);
    expect(asked).toEqual([]);
  });

  test("clean removes data whose services have gone, and what it is told to", async () => {
    owned.mockImplementation(async (kind: string) => (kind === "volume" ? left(kind) : []));
    await clean("one");
    expect(asked).toEqual(["docker volume rm x"]);
    owned.mockImplementation(async (kind: string) => (kind === "container" ? left(kind) : []));
    await clean("one", true);
    expect(asked).toContain("docker rm --force --volumes x");
  });
});
