import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyBatch } from "../../contract/ports.ts";
import { emptyStatement } from "../../contract/statement.ts";
import { STREAMS } from "../../contract/streams.ts";
import { BATCH_HISTORY_TOPIC, loadKey, MANIFEST_TOPIC } from "../../contract/topics.ts";
import { openDataset } from "../../generator/dataset/format.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { encodeControl } from "../../kafka/encode.ts";
import { openEpochProducer } from "../../kafka/epoch-writer.ts";
import { readSourceTexts } from "../../kafka/sources.ts";
import { deleteTopics } from "../../kafka/topics.ts";
import { clearLayers } from "../../warehouse/batch/clear-layers.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { checkHistory } from "../../warehouse/history/check.ts";
import { importFiles } from "../../warehouse/import/import.ts";
import { readSource } from "../../warehouse/import/source.ts";
import { loadIntoKafka } from "../../warehouse/loader/kafka.ts";
import { MAX_LOADS } from "../../warehouse/loader/source-lease.ts";
import { waitForStorage } from "../../warehouse/loader/wait-for-storage.ts";
import { digests } from "../../warehouse/reconciliation/digests.ts";
import { streamVerdict } from "../../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../../warehouse/reconciliation/render.ts";
import { sourcesAtBroker, syncSources } from "../../warehouse/sources/broker.ts";
import { readSources } from "../../warehouse/sources/stored.ts";
import { pipelineAsync } from "../support/cli.ts";
import { itLong } from "../support/long-cases.ts";
import { openWholeConsumer } from "./consumer.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { KafkaSystem, useSystem } from "./system.ts";

const SAMPLE = join(import.meta.dirname, "../../data/sample");
const LIVE = {
  GEN_MODEL_TIME_SPEED: "600",
  GEN_TICK_SECONDS: "0.2",
  GEN_MAX_EVENTS_PER_TICK: "10000",
};

const SELECT = `-- source: test

SELECT row, time, user_session AS session_id, page AS page_url FROM input
`;

describeKafka("the loader and the reconciliation", () => {
  const kafka = useSystem(new KafkaSystem({ database: openWholeConsumer }));

  const send = async (options: { limit: number; reset: boolean; force: boolean }) => {
    const { connection, admin, db: database } = kafka;
    return loadIntoKafka(await openDataset(SAMPLE), { connection, admin, database, ...options });
  };
  const load = async (options: { limit?: number; reset?: boolean; force?: boolean } = {}) => {
    const { limit = 0, reset = true, force = false } = options;
    const loaded = await send({ limit, reset, force });
    expect(await waitForStorage(kafka.db, kafka.admin, loaded.epoch, () => undefined)).toBe(true);
    await syncSources(kafka.db, kafka.admin);
    return loaded;
  };
  const run = () => transform(kafka.db, { fullRefresh: true, waitSeconds: 30 });

  it("replaces the earlier rows of an imported dataset, beside another one", async () => {
    const loadImport = async (name: string, ...rows: string[]) => {
      const file = join(kafka.directory, `${name}.csv`);
      const dir = join(kafka.directory, name);
      writeFileSync(file, ["time,user_session,page", ...rows, ""].join("\n"));
      writeFileSync(`${file}.sql`, SELECT);
      await importFiles([file], readSource(`${file}.sql`), { dir });
      const { status, stdout, stderr } = await pipelineAsync(
        ["data", "--dataset", dir, "--bootstrap", kafka.bootstrap, "--no-pause-generator"],
        { ...kafka.db.env },
      );
      expect(status, stderr).toBe(0);
      return stdout;
    };
    const at = "2026-07-05 09:00:00";
    await loadImport("first", `${at},a,/home`, `${at},b,/home`);
    await loadImport("second", `${at},a,/cart`);
    const again = await loadImport("first", `${at},c,/payment`);
    expect(again).toContain("Replacing the earlier rows of first");
    await run();
    expect(
      await kafka.db.rows("SELECT entry_page, page_events FROM dm.session ORDER BY entry_page"),
    ).toEqual([
      { entry_page: "/cart", page_events: 1 },
      { entry_page: "/payment", page_events: 1 },
    ]);
    const { layers, unaccounted } = await kafka.prove();
    expect(unaccounted).toBe(0);
    expect(layers.map(({ identity }) => identity)).toContain("rows of second = events + reasons");
    await clearLayers(kafka.db);
  });

  it("loads a set into the topics and on into stg; every message is accounted for", async () => {
    const { statement } = await load();
    const manifest = (await openDataset(SAMPLE)).manifest?.manifest;
    expect(statement.counts).toEqual(manifest?.counts);
    expect(statement.days).toEqual(manifest?.days);
    await run();
    const found = await kafka.prove();
    expect(found).toMatchObject({ unaccounted: 0, inFlight: 0, checksum: manifest?.checksum });
    expect(found.defects.every(({ missed }) => missed === 0)).toBe(true);
    expect(await readSources(kafka.db, found.epoch)).toMatchObject([{ manifest }]);
    // Four partitions and a clock of minutes lose the order but not the content.
    const checks = await checkHistory(kafka.db, { liveHandover: false, env: {} });
    expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
    const { detail } = checks.find(({ id }) => id === "digest of browser") ?? {};
    expect(detail).toMatch(/sum up to \w{16} \(the order across 4 partitions is unknown/);

    // A command that only reads takes the sources from the broker, and stores nothing.
    await kafka.db.run("TRUNCATE TABLE stg.manifest");
    const epochs = await kafka.db.rows("SELECT * FROM stg.epoch ORDER BY ALL");
    const newer = await sourcesAtBroker(kafka.db, kafka.admin);
    expect(await checkHistory(kafka.db, { liveHandover: false, env: {}, newer })).toEqual(checks);
    expect(await readSources(kafka.db, found.epoch, newer)).toMatchObject([{ manifest }]);
    expect(await kafka.db.rows("SELECT * FROM stg.manifest")).toEqual([]);
    expect(await kafka.db.rows("SELECT * FROM stg.epoch ORDER BY ALL")).toEqual(epochs);
  });

  it("loads twice with reset: dds is the same as after one load", async () => {
    const once = await digests(kafka.db);
    await load();
    await run();
    const twice = await digests(kafka.db);
    // ods keeps both epochs; dds keeps one.
    const integrated = (all: typeof once) => all.filter(({ name }) => /^d[dm]s?\./.test(name));
    expect(integrated(twice)).toEqual(integrated(once));
    expect((await kafka.prove()).unaccounted).toBe(0);
  });

  itLong("two concurrent appends are each reported and accounted for", async () => {
    await clearLayers(kafka.db);
    const first = await load({ limit: 10 });
    const [one, two] = await Promise.all([
      load({ limit: 50, reset: false }),
      load({ limit: 30, reset: false }),
    ]);
    expect([one.epoch, two.epoch]).toEqual([first.epoch, first.epoch]);
    await run();
    const found = await kafka.prove();
    expect(found).toMatchObject({ unaccounted: 0, checksum: null });
    const raw = found.messages.reduce((sum, line) => sum + line.raw, 0);
    expect(raw).toBe([first, one, two].reduce((sum, of) => sum + total(of.statement.counts), 0));
    const sources = await readSources(kafka.db, first.epoch);
    expect(sources.map(({ isFinal }) => isFinal)).toEqual([true, true, true]);
  });

  itLong("reuses a few keys in every epoch, and refuses a key that is not found", async () => {
    await clearLayers(kafka.db);
    const { epoch } = await load({ limit: 10 });
    const keys = async () => [...(await readSourceTexts(kafka.admin, epoch)).keys()];
    const all = Array.from({ length: MAX_LOADS }, (_, index) => loadKey(index + 1));
    const [own = ""] = await keys();
    expect(all).toContain(own);
    const [left, ...others] = all.filter((key) => key !== own);
    const value = JSON.stringify({ kind: "load", statement: emptyStatement(), isFinal: true });
    const records = others.map((key) => ({ topic: MANIFEST_TOPIC, key, value }));
    const producer = await openEpochProducer(kafka.admin);
    await producer.commit(encodeControl(epoch, records));
    // Readers see a commit only after it is decided.
    await waitFor("one key is left", async () => (await keys()).length === MAX_LOADS - 1);
    await load({ limit: 10, reset: false });
    expect(await keys()).toContain(left);
    await expect(load({ limit: 10, reset: false })).rejects.toMatchObject({
      message: expect.stringMatching(/has 64 loads, the maximum/),
      hint: expect.stringMatching(/without --no-reset/),
    });
    expect((await load({ limit: 10 })).epoch).toBeGreaterThan(epoch);
  });

  it("reports what a stopped reader has not stored as incomplete, and losses separately", async () => {
    await clearLayers(kafka.db);
    await load({ limit: 50 });
    await run();
    expect((await kafka.prove()).verdict).toBe("accounted");
    await kafka.db.run("DETACH TABLE stg.queue SYNC");
    const { statement } = await send({ limit: 20, reset: false, force: false });
    const stuck = await kafka.prove();
    expect(stuck).toMatchObject({ verdict: "incomplete", unaccounted: 0, inFlight: 0 });
    expect(stuck.waiting.filter(({ layer }) => layer === "stg")).toMatchObject(
      STREAMS.map((stream) => ({
        ...{ stream, count: statement.counts[stream], step: "stg.queue (not attached)" },
      })),
    );
    const geo = stuck.messages.filter(({ stream }) => stream === "geo");
    expect(geo.reduce((sum, { generated, raw }) => sum + (generated ?? 0) - raw, 0)).toBe(
      statement.counts.geo,
    );
    expect(renderReconciliation(stuck)).toMatch(
      /geo messages are not in stg yet, the oldest for .*make topics/,
    );
    // The last message must not count as undelivered.
    await kafka.db.run(
      `DELETE FROM stg.raw WHERE _topic = 'device_events' AND (epoch, _partition, _offset) IN
       (SELECT epoch, _partition, max(_offset) FROM stg.raw WHERE _topic = 'device_events' GROUP BY epoch, _partition)`,
    );
    expect(streamVerdict(await kafka.prove(), "device")).toBe("unaccounted");
    // Run the hint's command.
    await ensureTopics(kafka.admin, { database: kafka.db });
    await waitFor("all of it is stored", async () =>
      (await kafka.prove()).waiting.every(({ layer }) => layer !== "stg"),
    );
  });

  itLong(
    "keeps the messages of an epoch when its topics are re-created, and refuses while some are not stored",
    async () => {
      await clearLayers(kafka.db);
      await load({ limit: 50 });
      await kafka.db.run("DETACH TABLE stg.queue SYNC");
      const { statement, epoch } = await send({ limit: 20, reset: false, force: false });
      const reset = () => kafka.reset();
      await expect(reset()).rejects.toMatchObject({
        message: expect.stringContaining(`${statement.counts.geo} geo messages (stg.queue (not`),
        hint: expect.stringMatching(/^run `make topics`, .*--replace/),
      });
      expect(await kafka.epoch()).toBe(epoch);
      await ensureTopics(kafka.admin, { database: kafka.db });
      // The reset does not wait for the reader of an earlier epoch.
      const later = await reset();
      expect(later.epoch).toBeGreaterThan(epoch);
      const sources = await readSources(kafka.db, epoch);
      expect(sources.map(({ isFinal }) => isFinal)).toEqual([true, true]);
      await run();
      expect(await kafka.prove()).toMatchObject({ unaccounted: 0, verdict: "accounted" });
      const lines = (await kafka.prove()).messages.filter((line) => line.epoch === epoch);
      expect(lines.every(({ generated, raw }) => generated === raw)).toBe(true);
      await kafka.db.run("DETACH TABLE stg.queue SYNC");
      await clearLayers(kafka.db);
      // No source is stored, so nothing can be missing.
      await reset();
    },
  );

  it("refuses even if nothing of the epoch is stored yet and another topic is missing", async () => {
    const { epoch } = await kafka.reset({ clearsLayers: true });
    await kafka.db.run("DETACH TABLE stg.queue SYNC");
    await send({ limit: 20, reset: false, force: false });
    await deleteTopics(kafka.admin, [BATCH_HISTORY_TOPIC]);
    await expect(kafka.reset()).rejects.toThrow(
      /browser messages .*location messages .*device messages .*geo messages .*Nothing was changed/,
    );
    expect(await kafka.epoch()).toBe(epoch);
    await ensureTopics(kafka.admin, { database: kafka.db });
    await kafka.reset();
    await run();
    expect(await kafka.prove()).toMatchObject({ unaccounted: 0, verdict: "accounted" });
  });

  itLong("refuses to re-create the topics under a live generator unless forced", async () => {
    await load({ limit: 10 });
    await kafka.reset({ scope: "all" });
    const live = await kafka.generator(LIVE).listening();
    await waitFor(
      "it counts as live",
      async () => String(await liveInstances(kafka.admin)) === "test",
    );
    await expect(load({ limit: 10 })).rejects.toMatchObject({
      message: expect.stringMatching(/generator is publishing/),
      hint: expect.stringMatching(/generator-down/),
    });
    await expect(load({ limit: 10, reset: false })).rejects.toMatchObject({
      message: expect.stringMatching(/Generator instance test is publishing/),
      hint: expect.stringMatching(/generator-down/),
    });
    const sources = async () => [
      ...(await readSourceTexts(kafka.admin, await kafka.epoch())).keys(),
    ];
    expect(await sources()).toEqual(["test"]);
    await load({ limit: 10, reset: false, force: true });
    expect(await sources()).toEqual(["test", expect.stringMatching(/^load-\d+$/)]);
    await load({ limit: 10, force: true });
    expect(await live.exit()).toBe(1);
    expect(live.output).toMatch(/taken over/);
  });

  const goLive = async () => {
    await kafka.reset({ scope: "all" });
    await clearLayers(kafka.db);
    const generator = await kafka.generator(LIVE).listening();
    await waitFor("something is stored", async () => {
      const [row] = await kafka.db.rows<{ rows: number }>(
        "SELECT count() AS rows FROM stg.raw WHERE _topic = 'device_events'",
      );
      return (row?.rows ?? 0) > 100;
    });
    return generator;
  };

  it("finds a lost row at once while a live generator publishes: a cut is exact", async () => {
    const live = await goLive();
    expect(await kafka.prove()).toMatchObject({ unaccounted: 0, inFlight: 0 });
    await kafka.db.run(
      "DELETE FROM stg.raw WHERE _topic = 'device_events' AND (_partition, _offset) IN (SELECT min((_partition, _offset)) FROM stg.raw WHERE _topic = 'device_events')",
    );
    const found = await kafka.prove();
    expect(found).toMatchObject({ verdict: "unaccounted", unaccounted: 1, inFlight: 0 });
    const short = found.messages.filter(({ unaccounted }) => unaccounted > 0);
    expect(short).toMatchObject([{ stream: "device", unaccounted: 1 }]);
    expect(await live.kind()).toBe("running");
  });

  itLong(
    "accounts for a live run at any moment: nothing is missing, whatever is being sent",
    async () => {
      const live = await goLive();
      for (let moment = 0; moment < 4; moment += 1) {
        if (moment === 2) await run();
        const found = await kafka.prove();
        const inRaw = found.messages.reduce(
          (sum, line) => sum + (line.generated ?? 0) - line.raw,
          0,
        );
        expect({ unaccounted: found.unaccounted, inRaw }).toEqual({ unaccounted: 0, inRaw: 0 });
        if ((found.inFlight ?? 0) > 0) expect(renderReconciliation(found)).toMatch(/in flight/);
      }
      await live.control({ operation: "pause" });
      // Waits for messages in flight; the next load takes them.
      await kafka.prove();
      await run();
      const settled = await kafka.prove();
      expect(settled).toMatchObject({ unaccounted: 0, inFlight: 0 });
      expect(settled.messages.every(({ pending }) => pending === 0)).toBe(true);
    },
  );

  itLong("reports a message that no source sent as duplicated", async () => {
    const epoch = await syncSources(kafka.db, kafka.admin);
    const browser = { keys: ["k"], values: ["{}"], emittedAt: [1_767_225_600_000_000] };
    await kafka.publish({ ...emptyBatch(), browser }, {}, "stray");
    await waitForStorage(kafka.db, kafka.admin, epoch ?? 0, () => undefined);
    await run();
    expect((await kafka.prove()).unaccounted).toBe(1);
  });
});

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
