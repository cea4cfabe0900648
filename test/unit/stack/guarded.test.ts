import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const asked = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/preview-of.ts", () => ({ previewOf: asked }));

const { accept, guard } = await import("../../../pipeline/stack/manage/guarded.ts");

const STACK = "dev";
const state = mkdtempSync(join(tmpdir(), "guarded-"));
beforeAll(() => vi.stubEnv("EVENT_PIPELINE_STATE", state));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(state, { recursive: true });
});

const volume = (name: string) => ({
  urn: `urn:pulumi:${STACK}::event-pipeline::docker:index/volume:Volume::${name}`,
  id: name,
  inputs: { name: `event-pipeline-${STACK}-${name.replace("broker", "kafka")}` },
});
const deletion = {
  steps: [{ op: "delete", urn: volume("broker-data").urn, oldState: volume("broker-data") }],
};

/** One story: each test starts where the one before it ended. */
describe("before a change, the guard", () => {
  test("asks nothing where no data is recorded", async () => {
    await guard(STACK, []);
    expect(asked).not.toHaveBeenCalled();
  });

  test("asks Pulumi about a program it has not seen running, and refuses a loss", async () => {
    asked.mockResolvedValueOnce(deletion);
    await expect(guard(STACK, [volume("broker-data")])).rejects.toThrow("would delete the data");
    expect(asked).toHaveBeenCalledOnce();
  });

  test("asks nothing about an accepted program that keeps every recorded volume", async () => {
    asked.mockClear();
    accept(STACK);
    await guard(STACK, [volume("broker-data")]);
    expect(asked).not.toHaveBeenCalled();
  });

  test("asks about a volume the accepted program no longer has", async () => {
    asked.mockResolvedValueOnce(deletion);
    const gone = { ...volume("old-data"), inputs: { name: "another-data" } };
    await expect(guard(STACK, [gone])).rejects.toThrow("would delete the data");
  });
});
