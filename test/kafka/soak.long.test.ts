import { expect, it } from "vitest";
import { describeKafka } from "./harness.ts";
import { soak } from "./soak.ts";

/** scripts/soak-kafka.ts runs the long form. */
describeKafka("whatever is killed", () => {
  it("nothing is lost or duplicated, and the data equal an undisturbed run", async () => {
    const result = await soak({
      seed: "short",
      kills: 4,
      brokerRestarts: 2,
      engineRestarts: 2,
      days: 6,
    });
    expect(result).toMatchObject({
      unaccounted: 0,
      doubled: 0,
      isManifestEqual: true,
      isDataEqual: true,
    });
    // The half of each kind that is meant for the backfill is omitted after its end.
    expect(result.happened["kill live"]).toBe(2);
    for (const kind of ["kill in backfill", "broker restart", "engine restart"] as const) {
      expect(result.happened[kind], kind).toBeGreaterThan(0);
    }
  }, 1_800_000);
});
