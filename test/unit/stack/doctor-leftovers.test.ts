import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { readOwner } from "../../../pipeline/stack/state.ts";
import { ownState } from "./own-state.ts";

interface Part {
  readonly stack: string;
  readonly name: string;
  readonly owner: string;
}
/** Volumes and containers at the engine, and which of them are recorded. */
let volumes: Part[];
let containers: Part[];
let recorded: string[];
vi.mock("../../../pipeline/stack/manage/docker.ts", () => ({
  ownedOfAll: async (kind: string) => {
    const parts = { volume: volumes, container: containers }[kind] ?? [];
    return parts.map((one) => ({ ...one, kind, id: one.name }));
  },
}));
vi.mock("../../../pipeline/stack/manage/recorded.ts", () => ({
  readRecorded: async () => ({ resources: recorded.map((id) => ({ urn: "urn:volume", id })) }),
}));
const { beginRun } = await import("../../../pipeline/stack/manage/under-way.ts");
const { leftoverFindings } = await import("../../../pipeline/stack/doctor/leftovers.ts");

const folder = ownState();
const NAME = "event-pipeline-dev-kafka-data";

beforeEach(() => {
  mkdirSync(join(folder(), "stacks/dev"), { recursive: true });
  volumes = [];
  containers = [];
  recorded = [];
});

async function found(stack: string, owner: string): Promise<string[]> {
  volumes = [{ stack, name: NAME, owner }];
  return (await leftoverFindings()).map(({ status, detail }) => `${status} ${detail}`);
}

test("what this checkout has made is no leftover, recorded or not", async () => {
  expect(await found("dev", readOwner())).toEqual(["ok none"]);
});

test("containers of our mark that nothing records are told, with the way that loses nothing", async () => {
  containers = [{ stack: "dev", name: "event-pipeline-dev-kafka", owner: readOwner() }];
  const unclaimed = "of a stack dev that this checkout made and does not record";
  expect(await leftoverFindings()).toMatchObject([
    { status: "warn", detail: unclaimed, cure: expect.stringMatching(/^pulumi destroy/) },
  ]);
  beginRun("dev");
  expect(await found("dev", readOwner())).toEqual(["ok none"]);
  containers = [];
  expect((await found("two", readOwner()))[0]).toMatch(/that this checkout made/);
});

test("a stack of another name is", async () => {
  expect(await found("two", "somebody")).toEqual([
    "warn of a stack two that is not of this checkout",
  ]);
});

test("so are another checkout's data under a name that this one has", async () => {
  expect(await found("dev", "somebody")).toEqual([
    `warn of another stack named dev: volume ${NAME}, made by the checkout whose .state/owner holds somebody`,
  ]);
});

test("data that were taken over before they were refused are told as well", async () => {
  recorded = [NAME];
  expect(await found("dev", "somebody")).toEqual([
    `warn volume ${NAME} is used here and was made by the checkout whose .state/owner holds somebody`,
  ]);
  expect(await found("dev", "pulumi")).toEqual(["ok none"]);
});
