import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Manifest } from "../../contract/manifest.ts";
import { EVENT_TOPICS, MANIFEST_TOPIC, STATE_TOPIC } from "../../contract/topics.ts";
import { openBroker } from "../../generator/adapters/kafka-client.ts";
import { readEpoch } from "../../generator/adapters/kafka-epoch.ts";
import { readLatest } from "../../generator/adapters/kafka-read.ts";
import { parseFrame } from "../../generator/operations/record.ts";
import { ensureTopics, resetTopics } from "../../pipeline/broker/manage.ts";
import { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { GeneratorProcess } from "./generator.ts";
import { describeKafka, readTopic, until } from "./harness.ts";
import { topicDigests } from "./topic-digests.ts";

const SAMPLE = join(import.meta.dirname, "../../data/sample");
const T_END = "2026-01-01T03:00:00Z";
const FAST = {
  GEN_MODEL_TIME_SPEED: "6000",
  GEN_TICK_SECONDS: "0.1",
  GEN_MAX_EVENTS_PER_TICK: "10000",
};

describeKafka("the control endpoint", () => {
  let broker: TestBroker;
  let admin: Admin;
  let started: GeneratorProcess[] = [];
  const generator = (env: Readonly<Record<string, string>> = {}) => {
    const process = new GeneratorProcess(broker.bootstrap, env);
    started.push(process);
    return process.listening();
  };
  const standby = (env = {}) => generator({ GEN_ENABLED: "false", ...env });
  const frame = async () => {
    const stored = await readLatest(admin, STATE_TOPIC, "test");
    return stored?.value ? parseFrame(String(stored.value)) : null;
  };
  const manifest = async () =>
    JSON.parse(String((await readLatest(admin, MANIFEST_TOPIC, "test"))?.value)) as Manifest;
  const done = (process: GeneratorProcess, kind = "finished") =>
    until(`the generator is ${kind}`, async () => (await process.kind()) === kind);
  const counts = async () =>
    Promise.all(EVENT_TOPICS.map(async (topic) => (await readTopic(admin, topic)).length));

  beforeAll(async () => {
    broker = await TestBroker.start();
    admin = await openBroker(connectionTo(broker.bootstrap), "test");
    await ensureTopics(admin, { database: null });
  });
  beforeEach(() => resetTopics(admin, { database: null, scope: "all" }));
  afterEach(async () => {
    for (const process of started) await process.kill9();
    started = [];
  });
  afterAll(async () => {
    await admin?.close();
    await broker?.stop();
  });

  it("lets nobody in without the token, and tells what may be asked for", async () => {
    const process = await standby();
    expect((await process.control({ operation: "pause" }, "wrong")).status).toBe(401);
    expect((await process.get("/control")).status).toBe(405);
    const unknown = await process.control({ operation: "explode" });
    expect(unknown.status).toBe(400);
    expect(unknown.body.next).toMatch(/backfill/);
    const misspelt = await process.control({ operation: "backfill", until: T_END });
    expect(misspelt.body.error).toMatch(/until/);
    const closed = await standby({ CONTROL_TOKEN: "" });
    expect((await closed.control({ operation: "pause" })).status).toBe(403);
    expect((await closed.get("/nowhere")).status).toBe(404);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  it("tells beforehand what would happen, and changes nothing", async () => {
    const process = await standby();
    const dry = await process.control({ operation: "dry_run", of: "backfill", t_end: T_END });
    expect(dry.body.decision).toMatchObject({ action: "run", steps: ["backfill"] });
    const refused = await process.control({ operation: "dry_run", of: "continue" });
    expect(refused.body.decision).toMatchObject({ action: "refuse" });
    expect(await frame()).toBeNull();
  });

  it("backfill, paused, resumed, finished; continue needs it", async () => {
    const process = await standby();
    const early = await process.control({ operation: "continue" });
    expect(early).toMatchObject({ status: 409, body: { next: "make generator-up" } });
    const end = "2026-01-31T00:00:00Z";
    expect(await process.control({ operation: "backfill", t_end: end })).toMatchObject({
      status: 202,
      body: { steps: ["backfill"] },
    });
    const second = await process.control({ operation: "backfill", t_end: T_END });
    expect(second).toMatchObject({ status: 409, body: { error: "backfill is running" } });
    await until("some of it stands", async () => ((await frame())?.batches ?? 0) > 3);
    expect((await process.control({ operation: "pause" })).status).toBe(200);
    expect(await process.kind()).toBe("paused");
    const at = (await frame())?.batches ?? 0;
    expect(at).toBeLessThan(720);
    const another = await process.control({ operation: "backfill", t_end: T_END });
    expect(another.body.error).toMatch(/not clean.*unfinished backfill to 2026-01-31/);
    expect((await process.control({ operation: "resume" })).status).toBe(202);
    await until("it goes on", async () => ((await frame())?.batches ?? 0) > at);
    await process.control({ operation: "pause" });
  });

  it("import of a data set: its manifest, its messages; then live goes on from its end", async () => {
    const process = await generator({ GEN_ENABLED: "false" });
    const asked = { operation: "import", dataset: SAMPLE };
    expect((await process.control(asked)).status).toBe(202);
    await done(process);
    const imported = await manifest();
    expect(await counts()).toEqual(Object.values(imported.counts));
    expect(await process.control(asked)).toMatchObject({ status: 200, body: { done: true } });
    const over = await process.control({ operation: "backfill", t_end: T_END });
    expect(over.body.error).toMatch(/finished history/);
    await process.stop();
    const live = await generator();
    await until("it goes on", async () => (await frame())?.phase === "live");
    expect(live.output).toMatch(/goes on from the history up to 2026-01-02T00:00:00/);
  });

  it("an import that is killed goes on where it was: nothing lost, nothing twice", async () => {
    const process = await standby();
    await process.control({ operation: "import", dataset: SAMPLE });
    await until("it has begun", async () => ((await frame())?.batches ?? 0) > 0);
    await process.kill9();
    const again = await standby();
    await again.control({ operation: "import", dataset: SAMPLE });
    await until("it is done", async () => {
      const reply = await again.control({ operation: "import", dataset: SAMPLE });
      return reply.body.done === true;
    });
    expect(await counts()).toEqual(Object.values((await manifest()).counts));
  });

  it("refuses a data set that is none, and one without a manifest, before anything is sent", async () => {
    const process = await standby();
    const none = await process.control({ operation: "import", dataset: "/nonexistent" });
    expect(none).toMatchObject({ status: 422 });
    expect(none.body.error).toMatch(/no such folder/);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  it("a clean start asks, then removes what is there and begins anew", async () => {
    const process = await generator(FAST);
    await until("it ticks", async () => ((await frame())?.batches ?? 0) > 2);
    const busy = await process.control({ operation: "clean_start", t_end: T_END, confirm: "test" });
    expect(busy.status).toBe(409);
    await process.control({ operation: "pause" });
    const unsure = await process.control({ operation: "clean_start", t_end: T_END });
    expect(unsure.status).toBe(409);
    expect(unsure.body.error).toMatch(/removes live generation/);
    const before = (await readEpoch(admin))?.epoch ?? 0;
    const sure = await process.control({ operation: "clean_start", t_end: T_END, confirm: "test" });
    expect(sure).toMatchObject({ status: 202, body: { steps: ["wipe", "backfill", "live"] } });
    await until("it is live again", async () => {
      const { step } = (await process.get("/status")).body.state as { step?: string };
      return step === "live" && (await frame())?.phase === "live";
    });
    await process.control({ operation: "pause" });
    expect((await readEpoch(admin))?.epoch).toBeGreaterThan(before);
    const found = await topicDigests(admin);
    const state = (await frame())?.generator as { model_time_us: number };
    await process.kill9();
    await resetTopics(admin, { database: null, scope: "all" });
    const end = new Date(state.model_time_us / 1000).toISOString();
    const fresh = await standby(FAST);
    await fresh.control({ operation: "backfill", t_end: end });
    await done(fresh);
    expect(await topicDigests(admin)).toEqual(found);
  });
});
