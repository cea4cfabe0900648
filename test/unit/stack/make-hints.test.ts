import { describe, expect, test, vi } from "vitest";
import { copyOf, emptyRoot, writeConfig } from "./own-root.ts";

vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
const { refuseLoss } = await import("../../../stack/data-loss-guard.ts");
const { previewFrom } = await import("../../../stack/preview.ts");
const { missingService } = await import("../../../stack/require-service.ts");

emptyRoot();

const labels = [{ label: "event-pipeline.data", value: "irreplaceable" }];
const lossOf = (type: string, name: string) => () => {
  const urn = `urn:pulumi:dev::event-pipeline::${type}::${name}`;
  refuseLoss(
    previewFrom({ steps: [{ op: "delete", urn, oldState: { inputs: { labels } } }] }),
    "dev",
  );
};

describe("a hint to change the file that make writes", () => {
  test.each([
    [
      "a service that is off",
      () => {
        throw missingService("dev", "superset");
      },
    ],
    ["lost data", lossOf("docker:index/volume:Volume", "kafka-data")],
    ["a lost key", lossOf("random:index/randomPassword:RandomPassword", "superset-secret-key-2")],
  ])("about %s first writes it", (_, refuse) => {
    const hint = expect.stringMatching(
      /^run make init STACK=dev .*in \.state\/stacks\/dev\/Pulumi/,
    );
    expect(refuse).toThrow(expect.objectContaining({ hint }));
    writeConfig(copyOf("dev"), {});
    expect(refuse).toThrow(
      expect.objectContaining({ hint: expect.not.stringContaining("make init") }),
    );
  });
});
