import { expect, it } from "vitest";
import { emptyBatch } from "../../contract/ports.ts";
import { parseMicros } from "../../contract/time.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { openWholeConsumer } from "./consumer.ts";
import { describeKafka, readTopic } from "./harness.ts";
import { doubledIn } from "./soak-verdict.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("what the soak counts as doubled", () => {
  const kafka = useSystem(new KafkaSystem({ database: openWholeConsumer }));

  it("a duplicated message is found, whatever duplicates were injected", async () => {
    const env = { GEN_RUN_MODE: "backfill", GEN_MODEL_T_END: "2026-01-01T12:00:00Z" };
    expect(await kafka.generator(env).exit()).toBe(0);
    expect(await doubled()).toEqual({ doubled: 0, injected: expect.any(Number) });

    const twice = (await readTopic(kafka.admin, "browser_events")).find(({ value }) =>
      /^{"event_id":"[-0-9a-f]{36}".*}$/.test(String(value)),
    );
    const browser = {
      keys: [twice?.key ?? ""],
      values: [String(twice?.value)],
      emittedAt: [parseMicros("2026-01-01T00:00:00Z")],
    };
    await kafka.publish({ ...emptyBatch(), browser }, {}, "repeater");
    const found = await doubled();
    expect(found.doubled).toBe(1);
    expect(found.injected).toBeGreaterThan(0);
  });

  async function doubled() {
    await kafka.settle();
    await transform(kafka.db, { fullRefresh: true, waitSeconds: 60 });
    const reconciliation = await kafka.prove();
    const injected = reconciliation.defects.find(({ kind }) => kind === "duplicate")?.injected;
    return { doubled: await doubledIn(kafka.db, reconciliation), injected };
  }
});
