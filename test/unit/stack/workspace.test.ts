import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ownState } from "./own-state.ts";

vi.mock("../../../pipeline/stack/manage/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
const { pulumiEnvironment } = await import("../../../pipeline/stack/manage/workspace.ts");

const folder = ownState();

beforeEach(() => {
  for (const name of [
    "PULUMI_BACKEND_URL",
    "PULUMI_ACCESS_TOKEN",
    "PULUMI_CREDENTIALS_PATH",
    "PULUMI_CONFIG_PASSPHRASE",
    "PULUMI_CONFIG_PASSPHRASE_FILE",
  ]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("PULUMI_HOME", folder());
});

describe("the backend", () => {
  test("is a folder of the state where the user has none", async () => {
    expect(await pulumiEnvironment("dev")).toMatchObject({
      PULUMI_BACKEND_URL: `file://${folder()}/backend`,
      PULUMI_CONFIG_PASSPHRASE_FILE: join(folder(), "stacks/dev/passphrase"),
    });
  });

  test("is the one the user is logged in to", async () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), "credentials.json"), '{"current":"https://api.example"}');
    expect(await pulumiEnvironment("dev")).not.toHaveProperty("PULUMI_BACKEND_URL");
  });

  test.each(["PULUMI_BACKEND_URL", "PULUMI_ACCESS_TOKEN"])("is the one of %s", async (name) => {
    vi.stubEnv(name, "file:///elsewhere");
    expect(await pulumiEnvironment("dev")).not.toHaveProperty("PULUMI_BACKEND_URL");
  });
});

test.each(["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"])(
  "the passphrase is the user's own in %s",
  async (name) => {
    vi.stubEnv(name, "");
    const environment = await pulumiEnvironment("dev");
    expect(environment).not.toHaveProperty("PULUMI_CONFIG_PASSPHRASE_FILE");
  },
);
