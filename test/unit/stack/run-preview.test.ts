import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { fakeStack } from "./fake-stack.ts";
import { copyOf, emptyRoot } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
let names: string[];
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({ owned: async () => [] }));
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  createStack: async (_: string, config: string) => `${config}encryptionsalt: v1\n`,
  isRecorded: async (name: string) => names.includes(name),
  openStack: async () => stack,
  removeStack: async () => void stack.done.push("remove"),
}));
const { previewWith, renderPreview } = await import("../../../stack/lifecycle/run-preview.ts");

const root = emptyRoot();
const file = (name: string) => join(root(), `Pulumi.${name}.yaml`);
const BEFORE =
  "config:\n  event-pipeline:mode: live # kept\n  event-pipeline:network:\n    bind: 127.0.0.2\n";

/** Configuration and files that Pulumi reads. */
let given: { config: object; onDisk: string; encryptionsalt?: string };

beforeEach(() => {
  writeFileSync(file("dev"), BEFORE);
  names = ["dev"];
  stack = fakeStack("dev");
  stack.preview.mockImplementation(async ({ configFile = "" }) => {
    const settings = parse(readFileSync(configFile, "utf8"));
    given = { ...settings, onDisk: readFileSync(file("dev"), "utf8") };
    return { stdout: "Previewing update (dev):\n" };
  });
});

describe("a preview with other settings", () => {
  test("passes them to Pulumi in a copy of the configuration", async () => {
    await previewWith("dev", { mode: "bare", offset: 100 });
    expect(given).toEqual({
      config: {
        "event-pipeline:mode": "bare",
        "event-pipeline:generator": { enabled: false },
        "event-pipeline:network": { bind: "127.0.0.2", portOffset: 100 },
      },
      onDisk: BEFORE,
    });
    expect(readFileSync(file("dev"), "utf8")).toBe(BEFORE);
    expect(existsSync(copyOf("dev"))).toBe(false);
    expect(stack.done).toEqual([]);
  });

  test("is Pulumi's own text, with what up refuses and what the shell overrides", async () => {
    const { text } = await previewWith("dev", {});
    const deletion = {
      op: "delete",
      urn: "urn:pulumi:dev::event-pipeline::docker:index/volume:Volume::kafka-data",
      oldState: {
        inputs: {
          name: "event-pipeline-dev-kafka-data",
          labels: [{ label: "event-pipeline.data", value: "irreplaceable" }],
        },
      },
    };
    expect(renderPreview({ text, steps: [deletion] }, { GEN_SEED: "7" })).toBe(
      [
        "Previewing update (dev):",
        "Data at risk: event-pipeline-dev-kafka-data is deleted; make up refuses this",
        "Override: GEN_SEED=7 of the shell, for this run only",
      ].join("\n"),
    );
    expect(renderPreview({ text, steps: [] }, {})).toBe("Previewing update (dev):");
  });

  test("changes no file if it is refused", async () => {
    stack.preview.mockRejectedValue(new Error("port taken"));
    await expect(previewWith("dev", { mode: "bare" })).rejects.toThrow("port taken");
    expect(readFileSync(file("dev"), "utf8")).toBe(BEFORE);
  });
});

describe("a preview of a new stack", () => {
  test("has the configuration that the stack would copy, and leaves nothing", async () => {
    await previewWith("new", { config: "dev", offset: 100 });
    expect(given).toMatchObject({
      config: { "event-pipeline:mode": "live", "event-pipeline:network": { portOffset: 100 } },
      encryptionsalt: "v1",
    });
    expect(existsSync(file("new"))).toBe(false);
    expect(stack.done).toEqual(["remove"]);
  });

  test("leaves nothing if it is refused", async () => {
    stack.preview.mockRejectedValue(new Error("port taken"));
    await expect(previewWith("new", {})).rejects.toThrow("port taken");
    expect(existsSync(file("new"))).toBe(false);
    expect(stack.done).toEqual(["remove"]);
  });

  test("leaves a committed configuration as it was", async () => {
    names = [];
    await previewWith("dev", {});
    expect(readFileSync(file("dev"), "utf8")).toBe(BEFORE);
  });
});
