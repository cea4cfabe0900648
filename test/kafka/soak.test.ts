import { expect, it } from "vitest";
import { describeKafka } from "./harness.ts";
import { soak } from "./soak.ts";

/** The long form with stated numbers is scripts/soak-kafka.ts. */
describeKafka("whatever is killed", () => {
  it("nothing is lost or doubled, and the data equal an undisturbed run", async () => {
    const result = await soak({
      seed: "short",
      kills: 8,
      brokerRestarts: 2,
      engineRestarts: 2,
      days: 10,
    });
    expect(result).toMatchObject({
      unaccounted: 0,
      doubled: 0,
      isManifestEqual: true,
      isDataEqual: true,
    });
    expect(result.happened["kill in backfill"]).toBeGreaterThan(1);
    expect(result.happened).toMatchObject({
      "kill live": 4,
      "broker restart": 2,
      "engine restart": 2,
    });
  }, 600_000);
});
