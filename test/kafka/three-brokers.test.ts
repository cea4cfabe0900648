import { expect, it } from "vitest";
import { describeKafka } from "./harness.ts";
import { soak } from "./soak.ts";

/** scripts/soak-kafka.ts --brokers 3 runs the long form. */
describeKafka("three brokers, of which each in turn is killed or stopped", () => {
  it("generator, engine and prove go on; nothing is lost or duplicated", async () => {
    const faults = { kills: 0, brokerRestarts: 3, brokerStops: 1, engineRestarts: 0 };
    const log = (line: string) => console.log(line);
    const result = await soak({ seed: "three", ...faults, days: 6, brokers: 3, log });
    expect(result).toMatchObject({
      continued: 4,
      unaccounted: 0,
      doubled: 0,
      isManifestEqual: true,
      isDataEqual: true,
    });
    expect(result.happened["broker stop"]).toBe(1);
  }, 1_800_000);
});
