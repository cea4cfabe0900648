import { beforeEach, expect, it } from "vitest";
import type { Manifest } from "../../contract/manifest.ts";
import { parseMicros } from "../../contract/time.ts";
import { EVENT_TOPICS, MANIFEST_TOPIC } from "../../contract/topics.ts";
import { parseConfig } from "../../generator/config.ts";
import { loadDonors } from "../../generator/dataset/donors.ts";
import { writeDataset } from "../../generator/dataset/write.ts";
import { wipe } from "../../generator/operations/epoch.ts";
import {
  type OperationContext,
  prepareOperation,
  runOperation,
} from "../../generator/operations/operation.ts";
import { Monitor } from "../../generator/service/monitor.ts";
import { readLatest } from "../../kafka/read.ts";
import { itLong } from "../support/long-cases.ts";
import { folderOfTest } from "../support/use-folder.ts";
import { FAST, type GeneratorProcess } from "./generator.ts";
import { describeKafka, readTopic, waitFor } from "./harness.ts";
import { KafkaSystem, useSystem } from "./system.ts";
import { topicDigests } from "./topic-digests.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const T_END = "2026-01-01T03:00:00Z";
/** Few messages per batch, so that a history of many batches is short. */
const SPARSE = { GEN_LAMBDA_BASE_PER_MIN: "3" };

describeKafka("the control endpoint", () => {
  const kafka = useSystem(new KafkaSystem());
  const generator = (env = {}) => kafka.generator(env).listening();
  const standby = (env = {}) => generator({ GEN_ENABLED: "false", ...env });
  const manifest = async () =>
    JSON.parse(String((await readLatest(kafka.admin, MANIFEST_TOPIC, "test"))?.value)) as Manifest;
  const done = (process: GeneratorProcess, kind = "finished") =>
    waitFor(`the generator is ${kind}`, async () => (await process.kind()) === kind);
  const counts = async () =>
    Promise.all(EVENT_TOPICS.map(async (topic) => (await readTopic(kafka.admin, topic)).length));

  beforeEach(() => kafka.reset({ scope: "all" }));

  it("refuses requests without the token, and lists the allowed ones", async () => {
    const process = await standby();
    expect((await process.control({ operation: "pause" }, "wrong")).status).toBe(401);
    expect((await process.get("/control")).status).toBe(405);
    const unknown = await process.control({ operation: "explode" });
    expect(unknown.status).toBe(400);
    expect(unknown.body.hint).toMatch(/backfill/);
    const misspelt = await process.control({ operation: "backfill", until: T_END });
    expect(misspelt.body.error).toMatch(/until/);
    const closed = await standby({ CONTROL_TOKEN: "" });
    expect((await closed.control({ operation: "pause" })).status).toBe(403);
    expect((await closed.get("/nowhere")).status).toBe(404);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  it("reports the effect of a request without making it", async () => {
    const process = await standby();
    const dry = await process.control({ operation: "dry_run", of: "backfill", t_end: T_END });
    expect(dry.body.decision).toMatchObject({ action: "run", steps: ["backfill"] });
    const refused = await process.control({ operation: "dry_run", of: "continue" });
    expect(refused.body.decision).toMatchObject({ action: "refuse" });
    expect(await kafka.frame()).toBeNull();
  });

  it("backfill: paused, resumed, finished; continue needs a finished one", async () => {
    const process = await standby(SPARSE);
    const early = await process.control({ operation: "continue" });
    expect(early).toMatchObject({ status: 409, body: { hint: "run `make generator-up`" } });
    const end = "2026-01-06T00:00:00Z";
    expect(await process.control({ operation: "backfill", t_end: end })).toMatchObject({
      status: 202,
      body: { steps: ["backfill"] },
    });
    const second = await process.control({ operation: "backfill", t_end: T_END });
    expect(second).toMatchObject({ status: 409, body: { error: "backfill is running" } });
    await waitFor("some of it is committed", async () => ((await kafka.frame())?.batches ?? 0) > 3);
    expect((await process.control({ operation: "pause" })).status).toBe(200);
    expect(await process.kind()).toBe("paused");
    const at = (await kafka.frame())?.batches ?? 0;
    expect(at).toBeLessThan(5 * 24);
    const another = await process.control({ operation: "backfill", t_end: T_END });
    expect(another.body.error).toMatch(/not empty.*unfinished backfill to 2026-01-06/);
    expect((await process.control({ operation: "resume" })).status).toBe(202);
    await waitFor("it continues", async () => ((await kafka.frame())?.batches ?? 0) > at);
    await done(process);
    expect((await kafka.frame())?.batches).toBe(5 * 24);
    expect(await manifest()).toMatchObject({ t_end: "2026-01-06T00:00:00.000000Z" });
    const found = await counts();
    expect(found).toEqual(Object.values((await manifest()).counts));
    await process.stop();
    const live = await generator(SPARSE);
    await waitFor("it continues", async () => (await kafka.frame())?.phase === "live");
    await live.control({ operation: "pause" });
    const { batches: before = 0 } = (await kafka.frame()) ?? {};
    const { checksum } = await manifest();
    const again = await live.control({ operation: "continue" });
    expect(again).toMatchObject({ status: 202, body: { steps: ["live"] } });
    expect(again.body.reason).toBe("continues from 2026-01-06T00:00:00.000000Z");
    await waitFor("it goes on", async () => ((await kafka.frame())?.batches ?? 0) > before);
    expect((await manifest()).checksum).toBe(checksum);
  });

  it("a history above the limit needs a higher one, of the request or the environment", async () => {
    const process = await standby();
    const asked = { operation: "backfill", t_end: "2026-04-01T00:00:00Z" };
    const refused = await process.control(asked);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatch(
      /from 2026-01-01\S+ to 2026-04-01\S+ has about 3,920,000 page events in \S+ messages, 3 min, \S+ MB of disk. Allowed: 1,000,000 page events$/,
    );
    expect(refused.body.hint).toMatch(/allow 4000000: GEN_MAX_BACKFILL_EVENTS.*--max-events/);
    const own = {
      GEN_RUN_MODE: "backfill-then-live",
      GEN_MODEL_T0: "now-90d",
      GEN_MODEL_T_END: "now",
    };
    const alone = await generator(own);
    await waitFor("it is refused", async () => (await alone.kind()) === "refused");
    expect(alone.output).toMatch(/Allowed: 1,000,000 page events/);
    expect(await counts()).toEqual([0, 0, 0, 0]);
    await alone.stop();

    expect((await process.control({ ...asked, max_events: 4_000_000 })).status).toBe(202);
    await waitFor("it is being written", async () => ((await kafka.frame())?.batches ?? 0) > 0);
    // A restart finishes what was allowed once.
    await process.kill9();
    const resumed = await generator();
    await waitFor("it goes on", async () => /first finishes an unfinished/.test(resumed.output));
    expect(await resumed.kind()).toBe("running");
  });

  itLong(
    "the seed of a request stays with the history, also after a restart without it",
    async () => {
      const process = await standby();
      const asked = { operation: "backfill", t_end: T_END, seed: "another", speed: 60 };
      expect((await process.control(asked)).status).toBe(202);
      await done(process);
      expect((await manifest()).seed).toBe("another");
      await process.stop();
      const live = await generator({ GEN_SEED: "mine" });
      await waitFor("it continues", async () => (await kafka.frame())?.phase === "live");
      expect((await kafka.frame())?.chosen).toEqual({
        GEN_SEED: "another",
        GEN_MODEL_TIME_SPEED: "60",
      });
      await live.control({ operation: "pause" });
      const other = await live.control({ operation: "dry_run", of: "backfill", seed: "third" });
      expect(other.body.decision).toMatchObject({ action: "refuse" });
      expect(JSON.stringify(other.body.decision)).toMatch(/GEN_SEED/);
    },
  );

  it("import of the sample by default: its manifest and messages; then live continues from its end", async () => {
    const process = await generator({ GEN_ENABLED: "false" });
    const asked = { operation: "import" };
    expect((await process.control(asked)).status).toBe(202);
    await done(process);
    const imported = await manifest();
    expect(await counts()).toEqual(Object.values(imported.counts));
    expect(await process.control(asked)).toMatchObject({ status: 200, body: { done: true } });
    const over = await process.control({ operation: "backfill", t_end: T_END });
    expect(over.body.error).toMatch(/finished history/);
    await process.stop();
    const live = await generator();
    await waitFor("it continues", async () => (await kafka.frame())?.phase === "live");
    expect(live.output).toMatch(/continues from the history up to 2026-01-02T00:00:00/);
  });

  itLong("a killed import resumes: nothing lost, nothing sent twice", async () => {
    const dataset = folderOfTest("import");
    const env = { GEN_MODEL_T_END: "2026-01-08T00:00:00Z", GEN_DATA_DIR: "/nonexistent" };
    const config = parseConfig({ ...env, GEN_RUN_MODE: "backfill" });
    await writeDataset(dataset, config, await loadDonors(config));
    const process = await standby();
    await process.control({ operation: "import", dataset });
    await waitFor(
      "it has begun",
      async () => ((await kafka.frame())?.batches ?? 0) > 0,
      180_000,
      10,
    );
    await process.kill9();
    const cut = await kafka.frame();
    expect(cut).toMatchObject({ phase: "import", generator: null });
    const stood = await counts();
    const again = await standby();
    const resumed = await again.control({ operation: "import", dataset });
    expect(resumed.body.reason).toMatch(/^resumes an unfinished import/);
    await done(again);
    expect((await kafka.frame())?.batches).toBeGreaterThan(
      cut?.batches ?? Number.POSITIVE_INFINITY,
    );
    const whole = Object.values((await manifest()).counts);
    expect(stood.every((count, index) => count < (whole[index] ?? 0))).toBe(true);
    expect(await counts()).toEqual(whole);
  });

  itLong(
    "a backfill that was paused before its first batch continues to the requested end",
    async () => {
      const process = await standby();
      await process.control({ operation: "backfill", t_end: T_END });
      await process.control({ operation: "pause" });
      expect(await process.control({ operation: "resume" })).toMatchObject({
        status: 202,
        body: { steps: ["backfill"] },
      });
      await done(process);
      expect((await manifest()).t_end).toBe("2026-01-01T03:00:00.000000Z");
    },
  );

  itLong(
    "a clean start that was paused before its first batch still begins with its history",
    async () => {
      const process = await generator({ ...FAST, GEN_ENABLED: "true", GEN_MODEL_T_END: "" });
      await waitFor("it ticks", async () => ((await kafka.frame())?.batches ?? 0) > 2);
      await process.control({ operation: "pause" });
      await process.control({ operation: "clean_start", t_end: T_END, confirm: "test" });
      await process.control({ operation: "pause" });
      const resumed = await process.control({ operation: "resume" });
      expect(resumed.status).toBe(202);
      expect((resumed.body.steps as string[]).slice(-2)).toEqual(["backfill", "live"]);
      await waitFor("it is live", async () => (await kafka.frame())?.phase === "live");
      expect((await manifest()).t_end).toBe("2026-01-01T03:00:00.000000Z");
    },
  );

  itLong("a clean start that was killed after the wipe still begins with its history", async () => {
    const first = await generator(FAST);
    await waitFor("it ticks", async () => ((await kafka.frame())?.batches ?? 0) > 2);
    await first.kill9();
    await wipe(kafka.admin, "test", parseMicros(T_END));
    const again = await generator(FAST);
    await waitFor("it is live", async () => (await kafka.frame())?.phase === "live");
    expect(again.output).toMatch(/first finishes an unfinished backfill to 2026-01-01T03/);
    expect((await manifest()).t_end).toBe("2026-01-01T03:00:00.000000Z");
  });

  itLong(
    "a decision on an instance that changed meanwhile is reported as to be run again",
    async () => {
      // Runs operations in this process, as the service does.
      const place: OperationContext = {
        client: kafka.admin,
        connection: kafka.connection,
        instance: "test",
        env: { ...FAST, GEN_DATA_DIR: "/nonexistent" },
        watcher: new Monitor(SILENT),
      };
      const asked = { operation: "import" } as const;
      const imported = await prepareOperation(place, asked);
      const live = await prepareOperation(place, { operation: "live" });
      expect([imported, live].map(({ decision }) => decision.action)).toEqual(["run", "run"]);
      const controller = new AbortController();
      const running = runOperation(place, live, { signal: controller.signal });
      await waitFor("it ticks", async () => ((await kafka.frame())?.batches ?? 0) > 2);
      controller.abort();
      await running;
      const before = await counts();
      const { signal } = new AbortController();
      await expect(runOperation(place, imported, { signal })).rejects.toMatchObject({
        message: expect.stringMatching(/changed by another process/),
        hint: expect.stringMatching(/then retry/),
      });
      expect(await counts()).toEqual(before);
      expect((await kafka.frame())?.phase).toBe("live");
      expect((await prepareOperation(place, asked)).decision).toMatchObject({ action: "refuse" });
    },
  );

  it("refuses an invalid dataset, and one without a manifest, before it sends anything", async () => {
    const process = await standby();
    const none = await process.control({ operation: "import", dataset: "/nonexistent" });
    expect(none).toMatchObject({ status: 422 });
    expect(none.body.error).toMatch(/no such folder/);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  it("a clean start asks for confirmation, then removes the data and starts again", async () => {
    const process = await generator(FAST);
    await waitFor("it ticks", async () => ((await kafka.frame())?.batches ?? 0) > 2);
    const busy = await process.control({ operation: "clean_start", t_end: T_END, confirm: "test" });
    expect(busy.status).toBe(409);
    await process.control({ operation: "pause" });
    const unsure = await process.control({ operation: "clean_start", t_end: T_END });
    expect(unsure.status).toBe(409);
    expect(unsure.body.error).toMatch(/removes live generation/);
    const before = await kafka.epoch();
    const sure = await process.control({ operation: "clean_start", t_end: T_END, confirm: "test" });
    expect(sure).toMatchObject({ status: 202, body: { steps: ["wipe", "backfill", "live"] } });
    await waitFor("it is live again", async () => {
      const { step } = (await process.get("/status")).body.state as { step?: string };
      return step === "live" && (await kafka.frame())?.phase === "live";
    });
    await process.control({ operation: "pause" });
    expect(await kafka.epoch()).toBeGreaterThan(before);
    const found = await topicDigests(kafka.admin);
    const state = (await kafka.frame())?.generator as { model_time_us: number };
    await process.kill9();
    await kafka.reset({ scope: "all" });
    const end = new Date(state.model_time_us / 1000).toISOString();
    const fresh = await standby(FAST);
    await fresh.control({ operation: "backfill", t_end: end });
    await done(fresh);
    expect(await topicDigests(kafka.admin)).toEqual(found);
  });
});
