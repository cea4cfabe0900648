import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { ownState } from "./own-state.ts";

const asked = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/pulumi.ts", async (original) => ({
  ...(await original<object>()),
  pulumiText: asked,
}));
const { checkpointFile } = await import("../../../pipeline/stack/manage/pulumi.ts");
const { readRecorded } = await import("../../../pipeline/stack/manage/recorded.ts");

ownState();
const exported = { resources: [{ urn: "urn:exported", id: "e" }] };

/** What is read of a stack whose file holds this. */
async function recordedIn(content: string | null) {
  asked.mockReset();
  asked.mockResolvedValue(JSON.stringify({ version: 3, deployment: exported }));
  const file = checkpointFile("one");
  mkdirSync(dirname(file), { recursive: true });
  if (content !== null) writeFileSync(file, content);
  return readRecorded("one");
}
const checkpoint = (latest: object | null | undefined): string =>
  JSON.stringify({ version: 3, checkpoint: { stack: "organization/event-pipeline/one", latest } });

test("what our own backend holds is read from its file, without a process", async () => {
  const latest = { manifest: {}, resources: [{ urn: "urn:a", id: "a" }], pending_operations: [{}] };
  expect(await recordedIn(checkpoint(latest))).toEqual(latest);
  expect(asked).not.toHaveBeenCalled();
});

test.each([null, undefined])("a stack that was only made has nothing recorded (%s)", async (no) => {
  expect(await recordedIn(checkpoint(no))).toEqual({});
  expect(asked).not.toHaveBeenCalled();
});

test.each([
  ["no file", null],
  ["a file in another form", JSON.stringify({ version: 9, states: [] })],
  ["a file of a later version", JSON.stringify({ version: 4, checkpoint: { stack: "one" } })],
  ["half a file", '{"version":3,"check'],
])("Pulumi is asked where there is %s", async (_, content) => {
  expect(await recordedIn(content)).toEqual(exported);
});

test("and where the state lies in a backend of the user's own", async () => {
  vi.stubEnv("PULUMI_BACKEND_URL", "s3://somewhere");
  expect(await recordedIn(checkpoint({ resources: [] }))).toEqual(exported);
});
