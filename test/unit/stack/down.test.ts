import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { ownState } from "./own-state.ts";

/** What was asked of the container engine and of Pulumi, in order. */
let asked: string[];
const owned = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/docker.ts", () => ({
  docker: async (...args: string[]) => asked.push(`docker ${args.join(" ")}`),
  removeContainers: async (all: { id: string }[]) =>
    void asked.push(...all.map(({ id }) => `remove ${id}`)),
  owned,
}));
vi.mock("../../../pipeline/stack/manage/pulumi.ts", async (original) => ({
  ...(await original<object>()),
  isRecorded: async () => true,
  pulumi: async (_: string, [command]: string[]) => {
    asked.push(`pulumi ${command}`);
    return { code: 0, stdout: "", stderr: "" };
  },
  pulumiText: async () =>
    JSON.stringify({ deployment: { resources: [{ urn: "urn:a", id: "known" }] } }),
}));
const { clean } = await import("../../../pipeline/stack/manage/down.ts");
const { readOwner } = await import("../../../pipeline/stack/state.ts");
const { configFile } = await import("../../../pipeline/stack/manage/pulumi.ts");

ownState();

beforeEach(() => {
  asked = [];
  mkdirSync(dirname(configFile("one")), { recursive: true });
  writeFileSync(configFile("one"), "");
});

test("what a cut-off start has made unrecorded goes before the volumes that it holds", async () => {
  const containers = ["known", "unrecorded"].map((id) => ({ id, name: id, owner: readOwner() }));
  owned.mockImplementation(async (kind: string) => (kind === "container" ? containers : []));
  await clean("one");
  const removal = asked.indexOf("remove unrecorded");
  expect(removal).toBeGreaterThanOrEqual(0);
  expect(asked.indexOf("pulumi destroy")).toBeGreaterThan(removal);
});
