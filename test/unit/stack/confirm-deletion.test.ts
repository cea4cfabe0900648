import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { copyOf, emptyRoot, writeConfig } from "./own-root.ts";

vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
const { confirmDeletion } = await import("../../../stack/lifecycle/confirm-deletion.ts");
const { configWith, writeStackFile } = await import("../../../stack/lifecycle/stack-file.ts");

emptyRoot();
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe("before the deletion of a stack", () => {
  test("a person is asked, and the answer no deletes nothing", async () => {
    const ask = vi.fn().mockResolvedValue(false);
    await expect(confirmDeletion("dev", {}, ask)).rejects.toThrow("Nothing was deleted");
    expect(ask).toHaveBeenCalledWith("Delete the stack dev with its data and secrets?");
    await confirmDeletion("dev", {}, ask.mockResolvedValue(true));
  });

  test("the file that make wrote is named, and one of the user is not", async () => {
    const ask = vi.fn().mockResolvedValue(true);
    writeStackFile("dev", configWith("dev", undefined, [["mode", "bare"]]));
    await confirmDeletion("dev", {}, ask);
    const what = "the stack dev with its data, secrets and .state/stacks/dev/Pulumi.dev.yaml";
    expect(ask).toHaveBeenCalledWith(`Delete ${what}?`);
    expect(console.error).toHaveBeenCalledWith(`Removing ${what}.`);
    writeConfig(copyOf("dev"), {});
    await confirmDeletion("dev", {}, ask);
    expect(ask).toHaveBeenLastCalledWith("Delete the stack dev with its data and secrets?");
  });

  test("YES=1 and a shell without a terminal are not asked", async () => {
    const ask = vi.fn();
    await confirmDeletion("dev", { YES: "1" }, ask);
    expect(ask).not.toHaveBeenCalled();
    await confirmDeletion("dev", {}, undefined);
  });
});
