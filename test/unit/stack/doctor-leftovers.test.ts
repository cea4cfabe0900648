import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { readOwner } from "../../../pipeline/stack/state.ts";
import { ownState } from "./own-state.ts";

/** Volumes at the engine, and which of them are recorded. */
let volumes: { stack: string; name: string; owner: string }[];
let recorded: string[];
vi.mock("../../../pipeline/stack/manage/docker.ts", () => ({
  ownedOfAll: async (kind: string) =>
    kind === "volume" ? volumes.map((one) => ({ ...one, kind, id: one.name })) : [],
}));
vi.mock("../../../pipeline/stack/manage/recorded.ts", () => ({
  readRecorded: async () => ({ resources: recorded.map((id) => ({ urn: "urn:volume", id })) }),
}));
const { leftoverFindings } = await import("../../../pipeline/stack/doctor/leftovers.ts");

const folder = ownState();
const NAME = "event-pipeline-dev-kafka-data";

beforeEach(() => {
  mkdirSync(join(folder(), "stacks/dev"), { recursive: true });
  volumes = [];
  recorded = [];
});

async function found(stack: string, owner: string): Promise<string[]> {
  volumes = [{ stack, name: NAME, owner }];
  return (await leftoverFindings()).map(({ status, detail }) => `${status} ${detail}`);
}

test("what this checkout has made is no leftover, recorded or not", async () => {
  expect(await found("dev", readOwner())).toEqual(["ok none"]);
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
