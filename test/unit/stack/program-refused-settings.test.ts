import { expect, test, vi } from "vitest";
import { namesOf, ofType, recordProgram, settingsCheck } from "./record.ts";

test("refused settings of the generator leave its container alone", async () => {
  const refusal = "GEN_SEED=8 does not fit the stored history";
  settingsCheck.refusal = refusal;
  const errors = new Set<string>();
  // Each resource that waits for the generator fails with the refusal.
  process
    .removeAllListeners("unhandledRejection")
    .on("unhandledRejection", ({ message }: Error) => errors.add(message));
  const containers = namesOf(ofType(await recordProgram("dev", {}), "Container"));
  expect(containers).toContain("clickhouse");
  expect(containers).not.toContain("generator");
  await vi.waitFor(() => expect([...errors]).toEqual([refusal]));
});
