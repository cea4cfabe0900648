import { expect, it } from "vitest";
import { describeKafka } from "./harness.ts";
import { soak } from "./soak.ts";

/** Factor for the number of faults; `make soak-kafka` sets 25. */
const SIZE = Number(process.env.SOAK_SIZE ?? 1);

describeKafka("whatever is killed", () => {
  it(
    "nothing is lost or duplicated, and the data equal an undisturbed run",
    async () => {
      const result = await soak({
        seed: process.env.SOAK_SEED ?? "short",
        kills: 4 * SIZE,
        brokerRestarts: 2 * SIZE,
        engineRestarts: 2 * SIZE,
        days: 6 * SIZE,
      });
      expect(result).toMatchObject({
        unaccounted: 0,
        doubled: 0,
        isManifestEqual: true,
        isDataEqual: true,
      });
      // The half of each kind that is meant for the backfill is omitted after its end.
      expect(result.happened["kill live"]).toBe(2 * SIZE);
      for (const kind of ["kill in backfill", "broker restart", "engine restart"] as const) {
        expect(result.happened[kind], kind).toBeGreaterThan(0);
      }
    },
    1_800_000 * SIZE,
  );
});
