import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { manifestSchema } from "../../contract/manifest.ts";
import { generatorMetrics } from "../../contract/metrics.ts";
import { emptyBatch } from "../../contract/ports.ts";
import {
  BATCH_HISTORY_TOPIC,
  type BatchHistory,
  batchHistorySchema,
  EVENT_TOPICS,
  MANIFEST_TOPIC,
  topicSpecs,
} from "../../contract/topics.ts";
import { checksumOf } from "../../generator/canonical.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import type { RecordFrame } from "../../generator/operations/record.ts";
import { logEnds, readLatest } from "../../kafka/read.ts";
import { createTopics, deleteTopics } from "../../kafka/topics.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { itLong } from "../support/long-cases.ts";
import { FAST, type GeneratorProcess } from "./generator.ts";
import { describeKafka, readTopic, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";
import { topicDigests } from "./topic-digests.ts";

const HISTORY = { GEN_RUN_MODE: "backfill", GEN_MODEL_T_END: "2026-01-01T06:00:00Z" };
interface StateView {
  readonly sent: { readonly counts: { readonly geo: number } };
}
const stateOf = (frame: RecordFrame | null): StateView => frame?.generator as StateView;

describeKafka("the generator's service", () => {
  const kafka = useSystem(new KafkaSystem({ withoutTopics: true }));
  const modelTime = async () =>
    ((await kafka.frame())?.generator as { model_time_us: number } | undefined)?.model_time_us ?? 0;
  const manifest = async () =>
    manifestSchema.parse(
      JSON.parse(String((await readLatest(kafka.admin, MANIFEST_TOPIC, "test"))?.value)),
    );
  const backfill = async (env = {}) =>
    expect(await kafka.generator({ ...HISTORY, ...env }).exit()).toBe(0);

  beforeAll(async () => {
    const early = kafka.generator({});
    expect(await early.exit()).toBe(1);
    expect(early.output).toMatch(/Kafka has no topic browser_events/);
    expect(early.output).toMatch(/"hint":"[^"]*make topics/);
    await ensureTopics(kafka.admin, { database: null });
  });
  beforeEach(() => kafka.reset({ scope: "all" }));

  it("does not start without a broker, and prints a hint", async () => {
    const lost = kafka.generator({ KAFKA_BOOTSTRAP_SERVERS: "127.0.0.1:1" });
    expect(await lost.exit()).toBe(1);
    expect(lost.output).toMatch(/Kafka at 127\.0\.0\.1:1 cannot be reached/);
    expect(lost.output).toMatch(/make up/);
  });

  it("two clean backfills: one manifest checksum, the same data, every batch on record", async () => {
    await backfill();
    const first = await manifest();
    const digests = await topicDigests(kafka.admin);
    expect(checksumOf(first)).toBe(first.checksum);
    expect(Object.values(digests).map((text) => Number(text.split(" ")[0]))).toEqual(
      Object.values(first.counts),
    );
    const batches = (await readTopic(kafka.admin, BATCH_HISTORY_TOPIC)).map(
      ({ key, value }): BatchHistory => {
        const batch = batchHistorySchema.parse(JSON.parse(String(value)));
        expect(batch.batch_id).toBe(key);
        return batch;
      },
    );
    expect(batches).toHaveLength(6);
    expect(batches.reduce((sum, { sent_browser }) => sum + sent_browser, 0)).toBe(
      first.counts.browser,
    );
    expect(new Set(batches.map(({ status }) => status))).toEqual(new Set(["success"]));
    await kafka.reset({ scope: "all" });
    await backfill();
    expect((await manifest()).checksum).toBe(first.checksum);
    expect(await topicDigests(kafka.admin)).toEqual(digests);
    // A process over a finished history writes nothing, and fails if its history has another end.
    await backfill();
    const another = kafka.generator({ ...HISTORY, GEN_MODEL_T_END: "2026-01-02T00:00:00Z" });
    expect(await another.exit()).toBe(1);
    expect(another.output).toMatch(/not empty.*finished history/);
    expect(another.output).toMatch(/clean-start/);
    expect(await topicDigests(kafka.admin)).toEqual(digests);
  });

  it("backfill, then live to T2: the same data as a backfill to T2", async () => {
    await backfill(FAST);
    const live = await kafka.generator(FAST).listening();
    const t2 = Date.parse("2026-01-01T12:00:00Z") * 1000;
    await waitFor("live is past T2", async () => (await modelTime()) >= t2);
    expect((await live.get("/healthz")).status).toBe(200);
    expect(await live.stop()).toBe(0);
    const end = new Date((await modelTime()) / 1000).toISOString();
    const digests = await topicDigests(kafka.admin);
    await kafka.reset({ scope: "all" });
    await backfill({ ...FAST, GEN_MODEL_T_END: end });
    expect(await topicDigests(kafka.admin)).toEqual(digests);
  });

  it("backfill-then-live: fills an empty environment, resumes an interrupted history, then goes live", async () => {
    const settings = {
      GEN_RUN_MODE: "backfill-then-live",
      GEN_MODEL_T0: "now-7d",
      GEN_MODEL_T_END: "now",
      GEN_LAMBDA_BASE_PER_MIN: "3",
    };
    const step = async (process: GeneratorProcess) =>
      ((await process.get("/status")).body.state as { step: string | null }).step;
    const first = await kafka.generator(settings).listening();
    await waitFor("some of it is written", async () => ((await kafka.frame())?.batches ?? 0) >= 1);
    await first.kill9();
    const { phase, t_end_us: tEnd } = (await kafka.frame()) ?? {};
    const second = await kafka.generator(settings).listening();
    await waitFor("it is live", async () => (await step(second)) === "live");
    await waitFor("it ticks", async () => (await modelTime()) > Number(tEnd));
    expect(await second.stop()).toBe(0);
    const { t0, t_end, checksum } = await manifest();
    // Interrupted or not, the end is the one of the request.
    expect(["backfill", "live"]).toContain(phase);
    expect(Date.parse(t_end) * 1000).toBe(tEnd);
    expect(Date.parse(t_end) - Date.parse(t0)).toBe(7 * 86_400_000);
    expect(Math.abs(Date.now() - Date.parse(t_end))).toBeLessThan(600_000);
    const third = await kafka.generator(settings).listening();
    const before = await modelTime();
    await waitFor("it continues", async () => (await modelTime()) > before);
    expect((await manifest()).checksum).toBe(checksum);
    expect(await third.stop()).toBe(0);
  });

  it("resumes after a pause from its last state, whatever the clock shows", async () => {
    const first = await kafka.generator(FAST).listening();
    await waitFor("it ticks", async () => (await modelTime()) > 0);
    expect(await first.stop()).toBe(0);
    const before = await modelTime();
    await sleep(1_500);
    const second = await kafka.generator(FAST).listening();
    await waitFor("it continues", async () => (await modelTime()) > before);
    await second.stop();
    const batches = await readTopic(kafka.admin, BATCH_HISTORY_TOPIC);
    // One batch per tick of 600 model seconds, none repeated and none missing.
    const t0 = Date.parse("2026-01-01T00:00:00Z") * 1000;
    expect((await modelTime()) - t0).toBe(batches.length * 600 * 1e6);
    expect(new Set(batches.map(({ key }) => key)).size).toBe(batches.length);
  });

  it("counts as live while it writes, and no longer after it has ended", async () => {
    const live = await kafka.generator(FAST).listening();
    await waitFor(
      "it counts as live",
      async () => String(await liveInstances(kafka.admin)) === "test",
    );
    expect(await live.stop()).toBe(0);
    await waitFor(
      "it does not any more",
      async () => String(await liveInstances(kafka.admin)) === "",
      4_000,
    );
    await kafka.reset({ scope: "all" });
    await backfill();
    await waitFor(
      "nor does a history",
      async () => String(await liveInstances(kafka.admin)) === "",
      4_000,
    );
  });

  it("refuses a state with other settings, a state of another version and a damaged one", async () => {
    const first = await kafka.generator(FAST).listening();
    await waitFor("it ticks", async () => (await modelTime()) > 0);
    await first.stop();
    const other = await kafka.generator({ ...FAST, GEN_SEED: "2" }).listening();
    await waitFor("it is refused", async () => (await other.kind()) === "refused");
    const health = await other.get("/healthz");
    expect(health.status).toBe(503);
    expect(health.body.reason).toMatch(/GEN_SEED: 1 in the state, 2 now/);
    await other.kill9();
    for (const [state, message] of [
      [{ version: 2, users: [] }, /Migration error.*version 2/],
      [{ version: 3, phase: "live" }, /damaged/],
    ] as const) {
      // As an older generator or an accident would leave it.
      await kafka.publish(emptyBatch(), { state });
      const refused = kafka.generator(FAST);
      expect(await refused.exit()).toBe(1);
      expect(refused.output).toMatch(message);
      expect(refused.output).toMatch(/GEN_STATE_RESET=true/);
    }
    const refusedEpoch = await kafka.epoch();
    const reset = await kafka.generator({ ...FAST, GEN_STATE_RESET: "true" }).listening();
    await waitFor("it starts over", async () => (await reset.kind()) === "running");
    // Readers see the damaged epoch until the new one is committed.
    const sound = () => kafka.frame().catch(() => null);
    await waitFor("it ticks", async () => ((await sound())?.batches ?? 0) > 0);
    expect((await kafka.frame())?.batches).toBeLessThan(50);
    expect(await kafka.epoch()).toBeGreaterThan(refusedEpoch);
  });

  itLong(
    "exits after a takeover during the end of a history, and restarts with the new state",
    async () => {
      const history = {
        ...{ ...FAST, ...HISTORY, GEN_MODEL_T_END: "2026-03-01T00:00:00Z" },
        GEN_MAX_BACKFILL_EVENTS: "3000000",
      };
      const cutOff = await kafka.generator(history).listening();
      await waitFor("it writes", async () => ((await kafka.frame())?.batches ?? 0) > 3);
      await cutOff.kill9();
      const live = await kafka.generator(FAST).listening();
      const before = (await kafka.frame())?.batches ?? 0;
      await waitFor("it continues", async () => ((await kafka.frame())?.batches ?? 0) > before + 3);
      await (await kafka.publisher()).close();
      expect(await live.exit()).toBe(1);
      expect(live.output).toMatch(/step backfill/);
      expect(live.output).not.toMatch(/step live/);
      expect(live.output).toMatch(/live failed: .*has taken over/);
    },
  );

  itLong("refuses topics whose last messages are gone, however many remain", async () => {
    const first = await kafka.generator(FAST).listening();
    await waitFor("it ticks often", async () => ((await kafka.frame())?.batches ?? 0) > 30);
    await first.stop();
    const { sent } = stateOf(await kafka.frame());
    const count = sent.counts.geo;
    const name = "geo_events";
    await deleteTopics(kafka.admin, [name]);
    await createTopics(
      kafka.admin,
      topicSpecs().filter((spec) => spec.name === name),
    );
    // As many messages as the state counts, without the markers between them.
    await kafka.publish({ ...emptyBatch(), geo: numbered(0, count).geo }, {}, "stranger");
    // The broker writes a commit's marker after its answer.
    await waitFor("its commit is in the topic", async () => {
      const ends = await logEnds(kafka.admin, name);
      return ends.reduce((sum, end) => sum + end) > count;
    });
    const next = await kafka.generator(FAST).listening();
    await waitFor("it is refused", async () => (await next.kind()) === "refused");
    expect(next.output).toMatch(/not empty.*more messages than geo_events/);
  });

  it("in standby it answers and publishes nothing", async () => {
    const off = await kafka.generator({ ...FAST, GEN_ENABLED: "false" }).listening();
    await sleep(1_000);
    expect(await off.kind()).toBe("standby");
    expect((await off.get("/healthz")).status).toBe(200);
    expect(await off.metrics()).toMatch(/^generator_batches_due 0$/m);
    expect(await off.metrics()).toMatch(/^generator_service_state 1$/m);
    for (const topic of EVENT_TOPICS) expect(await readTopic(kafka.admin, topic)).toEqual([]);
    expect(await off.stop()).toBe(0);
  });

  it("exports every metric of the contract, consistent with the topics", async () => {
    const live = await kafka.generator(FAST).listening();
    await waitFor("it ticks", async () => (await modelTime()) > 0);
    expect(await live.metrics()).toMatch(/^generator_batches_due 1$/m);
    await live.control({ operation: "pause" });
    const text = await live.metrics();
    expect(text).toMatch(/^generator_batches_due 0$/m);
    for (const name of Object.values(generatorMetrics))
      expect(text).toMatch(new RegExp(`^${name}`, "m"));
    for (const topic of EVENT_TOPICS) {
      const count = (await readTopic(kafka.admin, topic)).length;
      expect(text).toMatch(
        new RegExp(`^generator_events_total\\{topic="${topic}"\\} ${count}$`, "m"),
      );
      expect(text).toMatch(
        new RegExp(`^generator_publish_errors_total\\{topic="${topic}"\\} 0$`, "m"),
      );
    }
    const success = Number(/^generator_last_success_timestamp (.+)$/m.exec(text)?.[1]);
    expect(Math.abs(success - Date.now() / 1000)).toBeLessThan(600);
  });
});
