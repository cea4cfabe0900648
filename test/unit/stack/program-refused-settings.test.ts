import { expect, test } from "vitest";
import { namesOf, ofType, recorded, recordProgram, settingsCheck } from "./record.ts";

test("refused settings of the generator fail the program and leave its container alone", async () => {
  const refusal = "GEN_SEED=8 does not fit the stored history";
  settingsCheck.refusal = refusal;
  // Each resource that waits for the generator fails with the refusal, too.
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", () => {});
  await expect(recordProgram("dev", {})).rejects.toThrow(refusal);
  const containers = namesOf(ofType(recorded, "Container"));
  expect(containers).toContain("clickhouse");
  expect(containers).not.toContain("generator");
});
