import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, expect, it, vi } from "vitest";
import { withBroker } from "../../cli/options.ts";
import { emptyBatch } from "../../contract/ports.ts";
import { openDataset, SAMPLE_DATASET } from "../../generator/dataset/format.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { cleanRecord } from "../../generator/operations/record.ts";
import { readSourceTexts } from "../../kafka/sources.ts";
import { clearLayers } from "../../warehouse/batch/clear-layers.ts";
import { withLease } from "../../warehouse/batch/lease.ts";
import { openDatabase } from "../../warehouse/database/open.ts";
import { loadOverBroker } from "../../warehouse/loader/over-broker.ts";
import { type CliResult, pipelineAsync } from "../support/cli.ts";
import { TestBroker } from "./broker.ts";
import { openWholeConsumer } from "./consumer.ts";
import { GENERATOR_TOKEN, type GeneratorProcess } from "./generator.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { KafkaSystem, useSystem } from "./system.ts";

/** A stack as `make up` starts it: two hours of history, then current events. */
const SETTINGS = {
  GEN_RUN_MODE: "backfill-then-live",
  GEN_MODEL_T0: "now-2h",
  GEN_MODEL_T_END: "now",
  GEN_TICK_SECONDS: "0.5",
};

/** Runs each command in its own process. */
const WITHIN_MS = 400_000;

describeKafka("a load beside a generator that publishes", () => {
  const kafka = useSystem(
    new KafkaSystem({ broker: () => TestBroker.start(), database: openWholeConsumer }),
  );

  beforeEach(async () => {
    await kafka.reset({ scope: "all" });
    await clearLayers(kafka.db);
  });

  const count = async (table: string, where = "1") => {
    const [row] = await kafka.db.rows<{ rows: number }>(
      `SELECT count() AS rows FROM ${table} WHERE ${where}`,
    );
    return Number(row?.rows);
  };
  const stepOf = async (generator: GeneratorProcess) =>
    ((await generator.get("/status")).body.state as { step?: string }).step;
  const start = (env = SETTINGS) => kafka.generator(env).listening();
  /** A generator that publishes current events, some of them stored. */
  async function live(): Promise<GeneratorProcess> {
    const generator = await start();
    await waitFor("it is live", async () => (await stepOf(generator)) === "live");
    await waitFor(
      "it counts as live",
      async () => String(await liveInstances(kafka.admin)) === "test",
    );
    await waitFor("its events are stored", async () => (await count("stg.raw")) > 0);
    return generator;
  }
  const publishers = async () => [
    ...(await readSourceTexts(kafka.admin, await kafka.epoch())).keys(),
  ];

  /** Runs a command with the addresses of broker, database and, if given, generator. */
  function run(
    words: readonly string[],
    generator?: GeneratorProcess,
    env: Readonly<NodeJS.ProcessEnv> = {},
  ): Promise<CliResult> {
    return pipelineAsync(words, {
      KAFKA_BOOTSTRAP_SERVERS: kafka.bootstrap,
      ...kafka.db.env,
      GENERATOR_INSTANCE: "test",
      ...(generator
        ? { GENERATOR_URL: generator.address.url, CONTROL_TOKEN: GENERATOR_TOKEN }
        : {}),
      ...env,
    });
  }
  async function succeed(words: readonly string[], generator?: GeneratorProcess): Promise<string> {
    const { status, stdout, stderr } = await run(words, generator);
    expect(status, stderr).toBe(0);
    return stdout;
  }

  it(
    "restores in the order ddl, data, transform while the generator is live, and prints how to continue",
    async () => {
      const generator = await live();
      await succeed(["transform"]);
      const previous = await kafka.epoch();
      const generated = await count("dds.event");
      expect(generated).toBeGreaterThan(0);

      await succeed(["ddl"]);
      await succeed(["topics"]);
      const said = await succeed(["data", "--limit", "50"], generator);
      expect(said).toMatch(
        /^note: The generator test is paused, .*Leave it paused to keep this load.*generator clean-start --yes --t-end now, .*\.$/ms,
      );
      expect(await kafka.epoch()).toBeGreaterThan(previous);
      await succeed(["transform"]);
      await succeed(["prove"]);
      // The warehouse keeps its rows, so both epochs count.
      expect(await count("dds.event")).toBeGreaterThan(generated);

      // The generator does not publish into the loaded epoch until an operator decides.
      expect(await generator.kind()).toBe("paused");
      const refused =
        /in standby: a load filled the topics \(load-\d+\).*hint: run \.\/pipeline generator clean-start --yes --t-end now, .*$/ms;
      const resumed = await run(["generator", "resume", "--wait", "60"], generator);
      expect(resumed.status).toBe(1);
      expect(resumed.stderr).toMatch(refused);
      expect(await generator.kind()).toBe("standby");
      await generator.stop();
      const restarted = await start();
      await waitFor("it has decided", async () => (await restarted.kind()) !== "starting");
      expect(await restarted.kind()).toBe("standby");
      expect((await run(["generator", "resume"], restarted)).stderr).toMatch(refused);
      expect((await restarted.get("/healthz")).status).toBe(200);
      expect(await publishers()).toEqual([expect.stringMatching(/^load-\d+$/)]);

      await succeed(["generator", "clean-start", "--yes", "--t-end", "now"], restarted);
      await waitFor("it is live again", async () => (await stepOf(restarted)) === "live");
      expect(await publishers()).toEqual(["test"]);
    },
    WITHIN_MS,
  );

  it(
    "changes nothing while another run holds the lease, and resumes the generator that it paused",
    async () => {
      const generator = await live();
      await succeed(["transform"]);
      const rows = await count("dds.event");
      const previous = await kafka.epoch();
      vi.stubEnv("CLICKHOUSE_PASSWORD", kafka.db.env.CLICKHOUSE_PASSWORD);
      vi.stubEnv("CONTROL_TOKEN", GENERATOR_TOKEN);
      const options = {
        generator: generator.address.url,
        limit: 50,
        reset: true,
        replace: true,
        yes: true,
        pauseGenerator: true,
        lease: { waitMs: 0 },
      } as const;
      const dataset = await openDataset(SAMPLE_DATASET);
      const { CLICKHOUSE_URL: url = "" } = kafka.db.env;
      const database = await openDatabase(url);
      const said = vi.spyOn(process.stderr, "write");
      await withLease(database, "long step", () =>
        expect(
          withBroker(kafka.bootstrap, url, (open) => loadOverBroker(dataset, open, options)),
        ).rejects.toThrow(/pipeline data cannot write the database: long step/),
      );
      const lines = said.mock.calls.map(([line]) => String(line)).join("");
      said.mockRestore();
      vi.unstubAllEnvs();
      await database.close();
      expect(lines).toMatch(/test is paused for the load.*the generator test was resumed/s);
      expect(await generator.kind()).toBe("running");
      expect([await kafka.epoch(), await count("dds.event")]).toEqual([previous, rows]);
      await waitFor(
        "it publishes again",
        async () => String(await liveInstances(kafka.admin)) === "test",
      );
    },
    WITHIN_MS,
  );

  it(
    "resumes with a history once the topics are re-created",
    async () => {
      const generator = await live();
      await succeed(["data", "--limit", "50"], generator);
      await succeed(["topics", "--reset"]);
      expect((await generator.control({ operation: "resume" })).body).toMatchObject({
        steps: ["backfill", "live"],
      });
      await waitFor("it is live again", async () => (await stepOf(generator)) === "live");
      // The same from standby, in which a restart after a load leaves it; and again while it runs.
      await succeed(["data", "--limit", "50"], generator);
      await generator.stop();
      const restarted = await start();
      await waitFor("it waits", async () => (await restarted.kind()) === "standby");
      await succeed(["topics", "--reset"]);
      await succeed(["generator", "resume", "--wait", "300"], restarted);
      expect(await stepOf(restarted)).toBe("live");
      expect(await succeed(["generator", "resume", "--wait", "300"], restarted)).toMatch(
        /resume: \S+ is running/,
      );
    },
    WITHIN_MS,
  );

  it(
    "neither pauses nor changes anything if that is refused or impossible",
    async () => {
      const generator = await live();
      const previous = await kafka.epoch();
      const refused = async (
        words: readonly string[],
        at: GeneratorProcess | undefined,
        text: RegExp,
        env?: Record<string, string>,
      ) => {
        const { status, stderr } = await run(["data", "--limit", "50", ...words], at, env);
        expect(status).toBe(1);
        expect(stderr).toMatch(text);
        expect(await generator.kind()).toBe("running");
        expect(await kafka.epoch()).toBe(previous);
      };
      // The generator's address is unknown.
      await refused([], undefined, /A generator is publishing.*hint: .*make generator-down/s);
      await refused(["--no-pause-generator"], generator, /A generator is publishing/);
      await refused([], generator, /refused the request \(401\)/, {
        CONTROL_TOKEN: "another-token-altogether",
      });
      await refused([], undefined, /does not answer/, { GENERATOR_URL: "http://127.0.0.1:1" });
      await refused(["--no-reset"], generator, /after a load into its topics/);
      const state = { ...cleanRecord(), phase: "live" };
      await kafka.publish(emptyBatch(), { manifest: { kind: "generator" }, state }, "other");
      await waitFor("the other is live", async () =>
        (await liveInstances(kafka.admin)).includes("other"),
      );
      await refused([], generator, /The generator other is publishing/);
    },
    WITHIN_MS,
  );

  it(
    "--replace removes only the load's rows, after confirmation",
    async () => {
      await succeed(["data"]);
      await succeed(["transform"]);
      const all = await count("dds.event");
      expect(all).toBeGreaterThan(1_000);
      const previous = await kafka.epoch();
      const slice = ["data", "--limit", "50", "--replace"];

      const cut = join(kafka.directory, "cut");
      cpSync(SAMPLE_DATASET, cut, { recursive: true });
      const geo = gunzipSync(readFileSync(join(cut, "geo.jsonl.gz")));
      rmSync(join(cut, "geo.jsonl.gz"));
      writeFileSync(join(cut, "geo.jsonl"), geo.subarray(0, geo.length / 2));
      const refusals: readonly [readonly string[], RegExp, NodeJS.ProcessEnv?][] = [
        [
          slice,
          /removes the rows of .*dds\.event.*Nothing was changed.*data --replace --yes --database http/s,
        ],
        [[...slice, "--yes", "--dataset", cut], /differs from its manifest/],
        [[...slice, "--yes", "--no-reset"], /cannot be used with option '--no-reset'/],
        [[...slice, "--yes"], /127\.0\.0\.1:1/, { KAFKA_BOOTSTRAP_SERVERS: "127.0.0.1:1" }],
        [[...slice, "--yes"], /--replace needs a database/, { CLICKHOUSE_URL: undefined }],
        [
          [...slice, "--yes"],
          /value '' from env 'CLICKHOUSE_URL' is invalid/,
          { CLICKHOUSE_URL: "" },
        ],
      ];
      for (const [words, text, env] of refusals) {
        const { status, stderr } = await run(words, undefined, env);
        expect(stderr).toMatch(text);
        expect(status).toBe(1);
      }
      await kafka.db.run("DROP TABLE stg.queue SYNC");
      expect((await run([...slice, "--yes"])).stderr).toMatch(/does not read from Kafka/);
      await succeed(["ddl"]);
      expect([await kafka.epoch(), await count("dds.event")]).toEqual([previous, all]);

      await succeed([...slice, "--yes"]);
      await succeed(["transform"]);
      const left = await count("dds.event");
      expect(left).toBeGreaterThanOrEqual(50);
      expect(left).toBeLessThan(80);
      expect(await count("ods.browser_event", `epoch != ${await kafka.epoch()}`)).toBe(0);
      await succeed(["prove"]);
    },
    WITHIN_MS,
  );
});
