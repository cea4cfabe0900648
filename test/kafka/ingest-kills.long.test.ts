import { expect, it } from "vitest";
import { describeKafka } from "./harness.ts";
import { soakIngest } from "./ingest-soak.ts";
import { IngestSystem } from "./ingest-system.ts";
import { useSystem } from "./system.ts";

describeKafka("pipeline ingest, killed, stopped, frozen and started at random", () => {
  const system = useSystem(new IngestSystem());

  it("stores each message once", async () => {
    const result = await soakIngest(system, { seed: process.env.SAMPLE_SEED ?? "1", kills: 25 });
    expect(result).toMatchObject({ kills: 25, lost: 0, doubled: 0, late: 0 });
    expect(result.starts).toBeGreaterThan(25);
    expect(result.messages).toBeGreaterThan(1_000);
  });
});
