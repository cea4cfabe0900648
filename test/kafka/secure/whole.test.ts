import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrokerConnection } from "../../../contract/broker.ts";
import { CONSUMER_GROUP, topicSpecs } from "../../../contract/topics.ts";
import { openDataset } from "../../../generator/dataset/format.ts";
import { startExporter } from "../../../images/offline/kafka-exporter/exporter.ts";
import { openBroker } from "../../../kafka/client.ts";
import { readEpoch } from "../../../kafka/epoch.ts";
import { transform } from "../../../warehouse/batch/transform.ts";
import { ensureTopics } from "../../../warehouse/epochs/topics.ts";
import { loadIntoKafka } from "../../../warehouse/loader/kafka.ts";
import { brokerFeed } from "../../../warehouse/reconciliation/broker-feed.ts";
import { prove } from "../../../warehouse/reconciliation/prove.ts";
import { syncSources } from "../../../warehouse/sources/broker.ts";
import { pipelineAsync } from "../../support/cli.ts";
import { useFolder } from "../../support/use-folder.ts";
import { environmentOf } from "../connection.ts";
import { type Consumer, openWholeConsumer } from "../consumer.ts";
import { FAST, GeneratorProcess } from "../generator.ts";
import { describeKafka, waitFor, waitUntilStored } from "../harness.ts";
import { PASSWORD, SecureBroker } from "./broker.ts";
import { listTopics, uiProperties } from "./java-client.ts";

const SAMPLE = join(import.meta.dirname, "../../../data/sample");
// An address instead of a name, as in the stack's containers.
describeKafka("a broker with a CA of its own, SCRAM and the documented rights", () => {
  const directory = useFolder("secure-data");
  let broker: SecureBroker;
  let connection: BrokerConnection;
  let admin: Admin;
  let db: Consumer;
  let generator: GeneratorProcess | undefined;

  beforeAll(async () => {
    broker = await SecureBroker.start("127.0.0.1");
    connection = await broker.addUser("pipeline");
    admin = await openBroker(connection, "test");
    const sasl = { username: "pipeline", password: PASSWORD, mechanism: "PLAIN" } as const;
    db = await openWholeConsumer(directory, { ...connection, sasl });
  });
  afterAll(async () => {
    await generator?.kill9();
    await db?.close();
    await admin?.close();
    await broker?.stop();
  });

  const reconcile = async () => {
    await waitUntilStored(admin);
    const epoch = await syncSources(db, admin);
    await transform(db, { fullRefresh: true, waitSeconds: 30 });
    return prove(db, brokerFeed(db, admin, epoch ?? 0));
  };

  it("takes topics and an epoch from the command, without a warning", async () => {
    const { status, stdout, stderr } = await pipelineAsync(
      ["topics", "--wait", "60"],
      environmentOf(connection),
    );
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^Topics ready: 8 created, 0 altered, epoch \d+\.$/m);
    expect(status).toBe(0);
    const { epoch } = await ensureTopics(admin, { database: db });
    expect((await readEpoch(admin))?.epoch).toBe(epoch);
  });

  it("takes the generator's history and live events", async () => {
    const variables = { ...environmentOf(connection), ...FAST };
    generator = await new GeneratorProcess(connection.bootstrap.join(), variables).listening();
    const live = generator;
    await waitFor("it has published", async () =>
      /^generator_events_total\{.*\} [1-9]/m.test(await live.metrics()),
    );
    expect(await live.stop()).toBe(0);
    expect(live.output).not.toContain("Warning");
    expect((await reconcile()).unaccounted).toBe(0);
  });

  it("takes a load after a reset, which the Kafka engine stores completely", async () => {
    const before = await readEpoch(admin);
    const dataset = await openDataset(SAMPLE);
    await loadIntoKafka(dataset, {
      connection,
      admin,
      database: db,
      limit: 200,
      reset: true,
      force: false,
    });
    expect((await readEpoch(admin))?.epoch).toBeGreaterThan(before?.epoch ?? 0);
    expect(await reconcile()).toMatchObject({ unaccounted: 0, inFlight: 0 });
    const [stored] = await db.rows<{ rows: number }>("SELECT count() AS rows FROM dds.event");
    expect(Number(stored?.rows)).toBeGreaterThanOrEqual(200);
  });

  it("takes Kafka's own client with the settings of the broker's UI", () => {
    const names = listTopics(broker.broker, uiProperties(connection));
    expect(names.sort()).toEqual(
      topicSpecs()
        .map(({ name }) => name)
        .sort(),
    );
  });

  it("shows topics and groups to the exporter", async () => {
    const exporter = await startExporter({ port: 0, connection });
    const text = await (await fetch(`http://127.0.0.1:${exporter.port}/metrics`)).text();
    await exporter.close();
    expect(text).toMatch(/kafka_topic_partition_current_offset\{topic="browser_events",.*\} [1-9]/);
    expect(text).toContain(`kafka_consumergroup_members{consumergroup="${CONSUMER_GROUP}"} 2`);
  });
});
