import { execFile } from "node:child_process";
import { join } from "node:path";
import node from "node:process";
import { promisify } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { emptyBatch } from "../../contract/ports.ts";
import type { GeneratorAddress } from "../../generator/client/http-client.ts";
import { readInstance } from "../../generator/operations/instance.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { cleanRecord, type InstanceRecord } from "../../generator/operations/record.ts";
import { clearLayers } from "../../warehouse/batch/clear-layers.ts";
import { withLease } from "../../warehouse/batch/lease.ts";
import { cleanStart } from "../../warehouse/epochs/clean-start.ts";
import { itLong } from "../support/long-cases.ts";
import { openWholeConsumer } from "./consumer.ts";
import type { GeneratorProcess } from "./generator.ts";
import { describeKafka, numbersIn, readTopic, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

const CLI = join(import.meta.dirname, "../../cli/main.ts");
const T_END = "2026-01-01T03:00:00Z";

describeKafka("pipeline generator clean-start", () => {
  const kafka = useSystem(new KafkaSystem({ database: openWholeConsumer }));
  const start = (
    from: GeneratorProcess,
    tEnd?: string,
    { token = from.address.token, isAgreed = true } = {},
  ) =>
    cleanStart({
      admin: kafka.admin,
      database: kafka.db,
      generator: { ...from.address, token },
      history: tEnd ? { t_end: tEnd } : {},
      isAgreed,
      onStep: () => undefined,
    });
  const storedRows = async () => {
    const [row] = await kafka.db.rows<{ rows: number }>(
      "SELECT count() AS rows FROM ods.geo_event",
    );
    return Number(row?.rows);
  };

  beforeEach(async () => {
    await kafka.reset({ scope: "all", clearsLayers: true });
    await kafka.publish(numbered(0, 10), {}, "stranger");
    await kafka.db.run("INSERT INTO ods.geo_event (click_id) VALUES (generateUUIDv4())");
  });

  /** Checks that neither topics nor layers changed. */
  async function expectUntouched(previousEpoch: number): Promise<void> {
    expect(await kafka.epoch()).toBe(previousEpoch);
    expect(await numbersIn(kafka.admin, "geo_events")).toHaveLength(10);
    expect(await storedRows()).toBe(1);
  }

  it("removes nothing if access is refused, or if the history has no end", async () => {
    const previousEpoch = await kafka.epoch();
    const standby = await kafka.generator({ GEN_ENABLED: "false" }).listening();
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
    const closed = await kafka.generator({ GEN_ENABLED: "false", CONTROL_TOKEN: "" }).listening();
    await expect(start(closed, T_END)).rejects.toThrow(/403/);
    await expectUntouched(previousEpoch);
  });

  it("removes nothing without confirmation, and proceeds if there is nothing to remove", async () => {
    const previousEpoch = await kafka.epoch();
    const standby = await kafka.generator({ GEN_ENABLED: "false" }).listening();
    const unsure = () => start(standby, T_END, { isAgreed: false });
    await expect(unsure()).rejects.toMatchObject({
      message: expect.stringMatching(/A clean start removes messages of unknown origin/),
      hint: expect.stringMatching(/clean-start --yes.*agree_to_loss/),
    });
    await expectUntouched(previousEpoch);

    await kafka.reset({ scope: "all" });
    const empty = await kafka.epoch();
    await expect(unsure()).rejects.toMatchObject({
      message: expect.stringMatching(/deletes the rows of .*ods\.geo_event.*Nothing was changed/),
      hint: expect.stringMatching(/clean-start --yes.*agree_to_loss/),
    });
    expect(await storedRows()).toBe(1);

    await clearLayers(kafka.db);
    expect(await unsure()).toMatchObject({ steps: ["backfill"] });
    await waitFor("it is finished", async () => (await standby.kind()) === "finished");
    expect(await kafka.epoch()).toBe(empty);
    // The messages published since then need confirmation as well.
    await expect(unsure()).rejects.toThrow(/A clean start removes the finished history/);
    expect((await kafka.frame())?.phase).toBe("backfill");
  });

  itLong("is refused while another instance publishes, without even pausing it", async () => {
    await kafka.reset({ scope: "all" });
    const own = await kafka.generator().listening();
    await waitFor("it is live", async () => (await kafka.frame())?.phase === "live");
    const previousEpoch = await kafka.epoch();
    // The instance counts as live three times as long as an instance that only wrote a history.
    const state: InstanceRecord = { ...cleanRecord(), phase: "live" };
    await kafka.publish(emptyBatch(), { manifest: { kind: "generator" }, state }, "other");
    await waitFor("the other is live", async () =>
      (await liveInstances(kafka.admin)).includes("other"),
    );
    const asked = start(own, T_END);
    await expect(asked).rejects.toMatchObject({
      message: expect.stringMatching(
        /generator other is publishing to the topics.*Nothing was changed/,
      ),
      hint: expect.stringMatching(/make generator-down/),
    });
    expect(await own.kind()).toBe("running");
    expect(own.output).not.toMatch(/stopped/);
    expect(await kafka.epoch()).toBe(previousEpoch);
    expect(await storedRows()).toBe(1);
  });

  itLong(
    "removes nothing while another run holds the lease, and lets the generator continue",
    async () => {
      await kafka.reset({ scope: "all" });
      const own = await kafka
        .generator({ GEN_MODEL_TIME_SPEED: "600", GEN_TICK_SECONDS: "0.2" })
        .listening();
      await waitFor("it is live", async () => (await kafka.frame())?.phase === "live");
      await waitFor(
        "it has written",
        async () => (await readTopic(kafka.admin, "geo_events")).length > 0,
      );
      const previousEpoch = await kafka.epoch();
      const clean = () =>
        cleanStart({
          admin: kafka.admin,
          database: kafka.db,
          generator: own.address,
          history: { t_end: T_END },
          isAgreed: true,
          onStep: () => undefined,
          lease: { waitMs: 0 },
        });
      await withLease(kafka.db, "long step", async () => {
        await expect(clean()).rejects.toThrow(/^clean start cannot write the database: long step/);
      });
      expect([await kafka.epoch(), await storedRows()]).toEqual([previousEpoch, 1]);
      expect((await readTopic(kafka.admin, "geo_events")).length).toBeGreaterThan(0);
      expect(await own.kind()).toBe("running");

      await clean();
      expect(await kafka.epoch()).toBeGreaterThan(previousEpoch);
      expect(await storedRows()).toBe(0);
      const leases = await kafka.db.rows(
        "SELECT step FROM stg.lease FINAL WHERE id > (SELECT max(id) FROM stg.lease WHERE step = 'long step')",
      );
      expect(leases).toEqual([{ step: "clean start" }]);
    },
  );

  it("fixes a generator that refuses to start: removes everything, then a history and live events", async () => {
    const previousEpoch = await kafka.epoch();
    const refused = await kafka.generator().listening();
    await waitFor("it is refused", async () => (await refused.kind()) === "refused");
    const { hint } = (await refused.get("/status")).body.state as { hint: string };
    expect(hint).toMatch(/^run pipeline generator clean-start --yes --t-end /);
    expect(await start(refused, T_END)).toMatchObject({ steps: ["backfill", "live"] });
    await waitFor("it is live", async () => (await kafka.frame())?.phase === "live");
    expect(await kafka.epoch()).toBeGreaterThan(previousEpoch);
    expect(await storedRows()).toBe(0);
    const values = (await readTopic(kafka.admin, "geo_events")).map(({ value }) => String(value));
    expect(values.filter((value) => value.startsWith('{"n"'))).toEqual([]);
  });

  /** Writes a record as an accident would leave it. */
  async function damageManifest(records: object = {}): Promise<void> {
    await kafka.reset({ scope: "all", clearsLayers: true });
    await kafka.publish(numbered(0, 10), { manifest: { kind: "nonsense" }, ...records });
  }

  itLong("every hint for a damaged manifest works", async () => {
    await damageManifest();
    const dead = kafka.generator();
    expect(await dead.exit()).toBe(1);
    expect(dead.output).toMatch(/generator_manifest is damaged/);
    const hints = [
      /pipeline (generator clean-start --yes) --t-end INSTANT/,
      /pipeline (topics --reset --all)/,
      /(GEN_STATE_RESET=true)/,
    ].map((pattern) => pattern.exec(dead.output)?.[1]?.split(" ") ?? []);
    const [cleanStartHint = [], topicsHint = [], resetHint = []] = hints;

    const standby = await kafka.generator({ GEN_ENABLED: "false" }).listening();
    await run([...cleanStartHint, "--t-end", T_END], standby.address);
    await waitFor("it is finished", async () => (await standby.kind()) === "finished");
    expect((await kafka.frame())?.phase).toBe("backfill");
    await standby.kill9();

    await damageManifest();
    await run(topicsHint);
    expect(await numbersIn(kafka.admin, "geo_events")).toEqual([]);
    expect((await readInstance(kafka.admin, { instance: "test" })).isWritten).toBe(false);

    await damageManifest();
    const [name = "", value = ""] = resetHint[0]?.split("=") ?? [];
    const again = await kafka.generator({ [name]: value }).listening();
    await waitFor("it is live", async () => (await kafka.frame())?.phase === "live");
    expect(await again.kind()).toBe("running");
  });

  /** Runs a printed command in its own process. */
  async function run(command: readonly string[], address?: GeneratorAddress): Promise<void> {
    await promisify(execFile)(node.execPath, [CLI, ...command], {
      env: {
        PATH: node.env.PATH,
        KAFKA_BOOTSTRAP_SERVERS: kafka.bootstrap,
        ...(address ? { GENERATOR_URL: address.url, CONTROL_TOKEN: address.token } : {}),
      },
    });
  }
});
