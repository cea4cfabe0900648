import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import node from "node:process";
import { promisify } from "node:util";
import type { Admin } from "@platformatic/kafka";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { emptyBatch } from "../../contract/ports.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import type { GeneratorAddress } from "../../generator/client/http-client.ts";
import { readInstance } from "../../generator/operations/instance.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { cleanRecord, type InstanceRecord, parseFrame } from "../../generator/operations/record.ts";
import { openBroker } from "../../kafka/client.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { readLatest } from "../../kafka/read.ts";
import { clearLayers } from "../../warehouse/batch/clear-layers.ts";
import { withLease } from "../../warehouse/batch/lease.ts";
import { cleanStart } from "../../warehouse/epochs/clean-start.ts";
import { ensureTopics, resetTopics } from "../../warehouse/epochs/topics.ts";
import { itLong } from "../support/long-cases.ts";
import { connectionTo } from "./connection.ts";
import { type Consumer, openWholeConsumer } from "./consumer.ts";
import { GeneratorProcess } from "./generator.ts";
import { describeKafka, numbersIn, readTopic, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { emptyBroker, type SharedBroker } from "./shared-broker.ts";

const CLI = join(import.meta.dirname, "../../cli/main.ts");
const T_END = "2026-01-01T03:00:00Z";

describeKafka("pipeline generator clean-start", () => {
  let broker: SharedBroker;
  let admin: Admin;
  let db: Consumer;
  let process: GeneratorProcess | undefined;
  const directory = mkdtempSync(join(tmpdir(), "test-clean-start-"));
  const generator = async (env: Readonly<Record<string, string>> = {}) => {
    process = await new GeneratorProcess(broker.bootstrap, env).listening();
    return process;
  };
  const start = (
    from: GeneratorProcess,
    tEnd?: string,
    { token = from.address.token, isAgreed = true } = {},
  ) =>
    cleanStart({
      admin,
      database: db,
      generator: { ...from.address, token },
      history: tEnd ? { t_end: tEnd } : {},
      isAgreed,
      onStep: () => undefined,
    });
  const epoch = async () => (await readEpoch(admin))?.epoch ?? 0;
  const frame = async () => {
    const stored = await readLatest(admin, STATE_TOPIC, "test");
    return stored?.value ? parseFrame(String(stored.value)) : null;
  };
  const storedRows = async () => {
    const [row] = await db.rows<{ rows: number }>("SELECT count() AS rows FROM ods.geo_event");
    return Number(row?.rows);
  };
  const publishAs = async (instance: string, records = {}, batch = emptyBatch()) => {
    const connection = connectionTo(broker.bootstrap);
    const publisher = await KafkaPublisher.open({ connection, instance });
    await publisher.publishBatch(batch, records);
    await publisher.close();
  };

  beforeAll(async () => {
    broker = await emptyBroker();
    const connection = connectionTo(broker.bootstrap);
    admin = await openBroker(connection, "test");
    db = await openWholeConsumer(directory, connection);
    await ensureTopics(admin, { database: db });
  });
  beforeEach(async () => {
    await resetTopics(admin, { database: db, scope: "all", clearsLayers: true });
    await publishAs("stranger", {}, numbered(0, 10));
    await db.run("INSERT INTO ods.geo_event (click_id) VALUES (generateUUIDv4())");
  });
  afterEach(async () => {
    await process?.kill9();
    process = undefined;
  });
  afterAll(async () => {
    await db?.close();
    await admin?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Checks that neither topics nor layers changed. */
  async function expectUntouched(previousEpoch: number): Promise<void> {
    expect(await epoch()).toBe(previousEpoch);
    expect(await numbersIn(admin, "geo_events")).toHaveLength(10);
    expect(await storedRows()).toBe(1);
  }

  it("removes nothing if access is refused, or if the history has no end", async () => {
    const previousEpoch = await epoch();
    const standby = await generator({ GEN_ENABLED: "false" });
    await expect(start(standby, T_END, { token: "a-wrong-token-altogether" })).rejects.toThrow(
      /401/,
    );
    await expectUntouched(previousEpoch);
    await expect(start(standby)).rejects.toMatchObject({
      message: expect.stringMatching(/GEN_MODEL_T_END is not set/),
      hint: expect.stringMatching(/clean-start --yes --t-end/),
    });
    await expectUntouched(previousEpoch);
    await expect(start(standby, "yesterday")).rejects.toThrow(/GEN_MODEL_T_END/);
    await expectUntouched(previousEpoch);
    await standby.kill9();
    const closed = await generator({ GEN_ENABLED: "false", CONTROL_TOKEN: "" });
    await expect(start(closed, T_END)).rejects.toThrow(/403/);
    await expectUntouched(previousEpoch);
  });

  it("removes nothing without confirmation, and proceeds if there is nothing to remove", async () => {
    const previousEpoch = await epoch();
    const standby = await generator({ GEN_ENABLED: "false" });
    const unsure = () => start(standby, T_END, { isAgreed: false });
    await expect(unsure()).rejects.toMatchObject({
      message: expect.stringMatching(/A clean start removes messages of unknown origin/),
      hint: expect.stringMatching(/clean-start --yes.*agree_to_loss/),
    });
    await expectUntouched(previousEpoch);

    await resetTopics(admin, { database: db, scope: "all" });
    const empty = await epoch();
    await expect(unsure()).rejects.toMatchObject({
      message: expect.stringMatching(/deletes the rows of .*ods\.geo_event.*Nothing was changed/),
      hint: expect.stringMatching(/clean-start --yes.*agree_to_loss/),
    });
    expect(await storedRows()).toBe(1);

    await clearLayers(db);
    expect(await unsure()).toMatchObject({ steps: ["backfill"] });
    await waitFor("it is finished", async () => (await standby.kind()) === "finished");
    expect(await epoch()).toBe(empty);
    // The messages published since then need confirmation as well.
    await expect(unsure()).rejects.toThrow(/A clean start removes the finished history/);
    expect((await frame())?.phase).toBe("backfill");
  });

  itLong("is refused while another instance publishes, without even pausing it", async () => {
    await resetTopics(admin, { database: db, scope: "all" });
    const own = await generator();
    await waitFor("it is live", async () => (await frame())?.phase === "live");
    const previousEpoch = await epoch();
    // The instance counts as live three times as long as an instance that only wrote a history.
    const state: InstanceRecord = { ...cleanRecord(), phase: "live" };
    await publishAs("other", { manifest: { kind: "generator" }, state });
    await waitFor("the other is live", async () => (await liveInstances(admin)).includes("other"));
    const asked = start(own, T_END);
    await expect(asked).rejects.toMatchObject({
      message: expect.stringMatching(
        /generator other is publishing to the topics.*Nothing was changed/,
      ),
      hint: expect.stringMatching(/make generator-down/),
    });
    expect(await own.kind()).toBe("running");
    expect(own.output).not.toMatch(/stopped/);
    expect(await epoch()).toBe(previousEpoch);
    expect(await storedRows()).toBe(1);
  });

  itLong(
    "removes nothing while another run holds the lease, and lets the generator continue",
    async () => {
      await resetTopics(admin, { database: db, scope: "all" });
      const own = await generator({ GEN_MODEL_TIME_SPEED: "600", GEN_TICK_SECONDS: "0.2" });
      await waitFor("it is live", async () => (await frame())?.phase === "live");
      await waitFor(
        "it has written",
        async () => (await readTopic(admin, "geo_events")).length > 0,
      );
      const previousEpoch = await epoch();
      const clean = () =>
        cleanStart({
          admin,
          database: db,
          generator: own.address,
          history: { t_end: T_END },
          isAgreed: true,
          onStep: () => undefined,
          lease: { waitMs: 0 },
        });
      await withLease(db, "long step", async () => {
        await expect(clean()).rejects.toThrow(/^clean start cannot write the database: long step/);
      });
      expect([await epoch(), await storedRows()]).toEqual([previousEpoch, 1]);
      expect((await readTopic(admin, "geo_events")).length).toBeGreaterThan(0);
      expect(await own.kind()).toBe("running");

      await clean();
      expect(await epoch()).toBeGreaterThan(previousEpoch);
      expect(await storedRows()).toBe(0);
      const leases = await db.rows(
        "SELECT step FROM stg.lease FINAL WHERE id > (SELECT max(id) FROM stg.lease WHERE step = 'long step')",
      );
      expect(leases).toEqual([{ step: "clean start" }]);
    },
  );

  it("fixes a generator that refuses to start: removes everything, then a history and live events", async () => {
    const previousEpoch = await epoch();
    const refused = await generator();
    await waitFor("it is refused", async () => (await refused.kind()) === "refused");
    const { hint } = (await refused.get("/status")).body.state as { hint: string };
    expect(hint).toMatch(/^run pipeline generator clean-start --yes --t-end /);
    expect(await start(refused, T_END)).toMatchObject({ steps: ["backfill", "live"] });
    await waitFor("it is live", async () => (await frame())?.phase === "live");
    expect(await epoch()).toBeGreaterThan(previousEpoch);
    expect(await storedRows()).toBe(0);
    const values = (await readTopic(admin, "geo_events")).map(({ value }) => String(value));
    expect(values.filter((value) => value.startsWith('{"n"'))).toEqual([]);
  });

  /** Writes a record as an accident would leave it. */
  async function damageManifest(records: object = {}): Promise<void> {
    await resetTopics(admin, { database: db, scope: "all", clearsLayers: true });
    await publishAs("test", { manifest: { kind: "nonsense" }, ...records }, numbered(0, 10));
  }

  itLong("every hint for a damaged manifest works", async () => {
    await damageManifest();
    const dead = new GeneratorProcess(broker.bootstrap, {});
    expect(await dead.exit()).toBe(1);
    expect(dead.output).toMatch(/generator_manifest is damaged/);
    const hints = [
      /pipeline (generator clean-start --yes) --t-end INSTANT/,
      /pipeline (topics --reset --all)/,
      /(GEN_STATE_RESET=true)/,
    ].map((pattern) => pattern.exec(dead.output)?.[1]?.split(" ") ?? []);
    const [cleanStartHint = [], topicsHint = [], resetHint = []] = hints;

    const standby = await generator({ GEN_ENABLED: "false" });
    await run([...cleanStartHint, "--t-end", T_END], standby.address);
    await waitFor("it is finished", async () => (await standby.kind()) === "finished");
    expect((await frame())?.phase).toBe("backfill");
    await standby.kill9();

    await damageManifest();
    await run(topicsHint);
    expect(await numbersIn(admin, "geo_events")).toEqual([]);
    expect((await readInstance(admin, { instance: "test" })).isWritten).toBe(false);

    await damageManifest();
    const [name = "", value = ""] = resetHint[0]?.split("=") ?? [];
    const again = await generator({ [name]: value });
    await waitFor("it is live", async () => (await frame())?.phase === "live");
    expect(await again.kind()).toBe("running");
  });

  itLong("an instance with a damaged manifest is live while its state is fresh", async () => {
    const at = Date.now();
    await damageManifest({ state: cleanRecord() });
    // Readers see a commit after it is decided, so `at` is read once the commit is visible.
    await waitFor("it is seen", async () => (await liveInstances(admin, at)).length > 0);
    expect(await liveInstances(admin, at)).toEqual(["test"]);
    expect(await liveInstances(admin, Date.now() + 60_000)).toEqual([]);
  });

  /** Runs a printed command in its own process. */
  async function run(command: readonly string[], address?: GeneratorAddress): Promise<void> {
    await promisify(execFile)(node.execPath, [CLI, ...command], {
      env: {
        PATH: node.env.PATH,
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrap,
        ...(address ? { GENERATOR_URL: address.url, CONTROL_TOKEN: address.token } : {}),
      },
    });
  }
});
