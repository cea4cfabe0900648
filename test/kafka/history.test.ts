import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { announcement } from "../../contract/source.ts";
import { EVENT_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { cleanRecord, type InstanceRecord } from "../../generator/operations/record.ts";
import { fenceProducers } from "../../kafka/coordinator.ts";
import { readLatest } from "../../kafka/read.ts";
import { clearLayers } from "../../warehouse/batch/clear-layers.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { checkHistory } from "../../warehouse/history/check.ts";
import { runtimeCheck } from "../../warehouse/history/runtime-check.ts";
import { pauseConsumption, resumeConsumption } from "../../warehouse/ingest/consumption.ts";
import { waitForStorage } from "../../warehouse/loader/wait-for-storage.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { syncSources } from "../../warehouse/sources/broker.ts";
import { itLong } from "../support/long-cases.ts";
import { openWholeConsumer } from "./consumer.ts";
import { describeKafka, readTopic, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("the runtime check", () => {
  const kafka = useSystem(new KafkaSystem({ database: openWholeConsumer }));
  const check = () =>
    runtimeCheck({
      admin: kafka.admin,
      database: kafka.db,
      env: { KAFKA_BOOTSTRAP_SERVERS: kafka.bootstrap },
      liveSeconds: 45,
      onStep: () => undefined,
      onResult: () => undefined,
    });

  it("passes on an empty environment, and leaves it clean", async () => {
    const start = Date.now();
    const results = await check();
    const seconds = (Date.now() - start) / 1000;
    console.log(`runtime check: ${seconds.toFixed(0)} s, ${results.length} checks`);
    expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(results.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["daily wave", "live continues from T_end", "handover: same rate"]),
    );
    for (const topic of EVENT_TOPICS) expect(await readTopic(kafka.admin, topic)).toEqual([]);
  });

  it("refuses an instance with data, and changes nothing in it", async () => {
    const epoch = await kafka.epoch();
    const raw = `(raw, epoch, _topic, _partition, _offset) VALUES ('{}', ${epoch}, 'geo_events', 0, 0)`;
    await kafka.db.run(`INSERT INTO stg.raw ${raw}`);
    await expect(check()).rejects.toMatchObject({
      message: expect.stringMatching(/not empty: .*stg\.raw holds 1/),
      hint: expect.stringContaining("make up STACK=check OFFSET=1000 UP=bare"),
    });
    expect(await kafka.db.rows("SELECT raw FROM stg.raw WHERE _topic = 'geo_events'")).toHaveLength(
      1,
    );
    await kafka.db.run("DELETE FROM stg.raw WHERE _topic = 'geo_events'");

    await kafka.db.run("INSERT INTO ods.geo_event (click_id) VALUES (generateUUIDv4())");
    await expect(check()).rejects.toThrow(/not empty: .*ods\.geo_event holds 1/);
    await kafka.db.run("TRUNCATE TABLE ods.geo_event");

    // The instance counts as live three times as long as an instance that only wrote a history.
    const state: InstanceRecord = { ...cleanRecord(), phase: "live" };
    await kafka.publish(numbered(0, 10), { state, manifest: announcement }, "somebody");
    await waitFor("it counts as live", async () =>
      (await liveInstances(kafka.admin)).includes("somebody"),
    );
    await expect(check()).rejects.toMatchObject({
      message: expect.stringMatching(/generator instance somebody is publishing/),
      hint: expect.stringContaining("make up STACK=check OFFSET=1000 UP=bare"),
    });
    await kafka.reset({ scope: "all" });

    await pauseConsumption(kafka.db, kafka.admin);
    await kafka.publish(numbered(0, 10), {}, "stranger");
    await resumeConsumption(kafka.db);
    await expect(check()).rejects.toThrow(/not empty: .*(browser_events|stg\.raw)/);
    for (const topic of EVENT_TOPICS) expect(await readTopic(kafka.admin, topic)).toHaveLength(10);
    await kafka.reset({ scope: "all" });
    await clearLayers(kafka.db);
  });

  it("holds for live events whose demo parameters changed twice after the history", async () => {
    const settings = {
      GEN_MODEL_TIME_SPEED: "600",
      GEN_TICK_SECONDS: "0.5",
      GEN_MAX_EVENTS_PER_TICK: "10000",
      GEN_MODEL_T_END: "2026-01-01T12:00:00Z",
    };
    const run = (env: Record<string, string>) => kafka.generator({ ...settings, ...env });
    expect(await run({ GEN_RUN_MODE: "backfill" }).exit()).toBe(0);
    const batches = async () => (await kafka.frame())?.batches ?? 0;
    for (const env of [
      { GEN_LAMBDA_BASE_PER_MIN: "300", GEN_P_NEW_USER: "0.9" },
      { GEN_LAMBDA_BASE_PER_MIN: "60", GEN_TICK_SECONDS: "0.25", GEN_MAX_ACTIVE_SESSIONS: "5" },
    ]) {
      const live = await run(env).listening();
      const first = await batches();
      // Twelve ticks are at least half an hour of model time.
      await waitFor("it follows the new settings", async () => (await batches()) > first + 12);
      expect(await live.stop()).toBe(0);
    }
    const refused = await run({ GEN_SEED: "2" }).listening();
    await waitFor("it is refused", async () => (await refused.kind()) === "refused");
    await refused.kill9();

    const epoch = await syncSources(kafka.db, kafka.admin);
    await waitForStorage(kafka.db, kafka.admin, epoch ?? 0, () => undefined);
    await transform(kafka.db, { fullRefresh: true, waitSeconds: 60 });
    const results = await checkHistory(kafka.db, { liveHandover: true, env: {} });
    expect(
      results.filter(({ status }) => status !== "ok").map(({ id, status }) => [id, status]),
    ).toEqual([
      // The caps bind at these rates, so no expectation holds.
      ["handover: same rate", "skipped"],
      ["handover: users return", "skipped"],
    ]);
    expect((await prove(kafka.db)).verdict).toBe("accounted");
    await kafka.reset({ scope: "all" });
    await clearLayers(kafka.db);
  });

  itLong("leaves the instance clean if its generator fails", async () => {
    let isOver = false;
    const checking = check().finally(() => {
      isOver = true;
    });
    const fencing = (async () => {
      while (!isOver) {
        const state = await readLatest(kafka.admin, STATE_TOPIC, "runtime-check").catch(() => null);
        if (state) await fenceProducers(kafka.admin, "event-pipeline-topics");
        await sleep(20);
      }
    })();
    await expect(checking).rejects.toThrow(/The generator failed/);
    await fencing;
    for (const topic of EVENT_TOPICS) expect(await readTopic(kafka.admin, topic)).toEqual([]);
    expect(await readLatest(kafka.admin, STATE_TOPIC, "runtime-check")).toBeNull();
  });
});
