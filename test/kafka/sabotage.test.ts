import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { openDataset } from "../../generator/dataset/format.ts";
import { openBroker } from "../../kafka/client.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { loadIntoKafka } from "../../warehouse/loader/kafka.ts";
import { brokerFeed } from "../../warehouse/reconciliation/broker-feed.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { syncSources } from "../../warehouse/sources/broker.ts";
import { connectionTo } from "./connection.ts";
import { type Consumer, openWholeConsumer } from "./consumer.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { emptyBroker, type SharedBroker } from "./shared-broker.ts";

const SAMPLE = join(import.meta.dirname, "../../data/sample");
const EQUAL = { layers: [], rows: [], unchecked: [] };

describeKafka("the checks of a warehouse that a broker feeds", () => {
  let broker: SharedBroker;
  let admin: Admin;
  let db: Consumer;
  const directory = mkdtempSync(join(tmpdir(), "test-sabotage-"));

  const send = async (limit: number, reset: boolean) =>
    loadIntoKafka(await openDataset(SAMPLE), {
      connection: connectionTo(broker.bootstrap),
      admin,
      database: db,
      limit,
      reset,
      force: false,
    });
  const reconcile = async () => {
    const epoch = await syncSources(db, admin);
    return prove(db, brokerFeed(db, admin, epoch ?? 0));
  };
  const isStored = async () => (await reconcile()).waiting.every(({ layer }) => layer !== "stg");
  const run = () => transform(db, { fullRefresh: false, waitSeconds: 30 });

  beforeAll(async () => {
    broker = await emptyBroker();
    const connection = connectionTo(broker.bootstrap);
    admin = await openBroker(connection, "test");
    db = await openWholeConsumer(directory, connection);
    await ensureTopics(admin, { database: db });
    await send(60, true);
    await waitFor("all of it is stored", isStored);
    await run();
  });
  afterAll(async () => {
    await db?.close();
    await admin?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it("ods holds every message of four partitions, with headers and broker times", async () => {
    expect((await reconcile()).verdict).toBe("accounted");
    expect(await proveDeep(db)).toMatchObject(EQUAL);
  });

  it("with the reader detached: incomplete in stg, and no difference", async () => {
    await db.run("DETACH TABLE stg.queue SYNC");
    await send(10, false);
    await run();
    const loaded = await reconcile();
    expect(loaded.verdict).toBe("incomplete");
    expect(loaded.waiting).toMatchObject(STREAMS.map((stream) => ({ layer: "stg", stream })));
    expect(await proveDeep(db)).toMatchObject(EQUAL);
    await ensureTopics(admin, { database: db });
    await waitFor("all of it is stored", isStored);
    await run();
    expect((await reconcile()).verdict).toBe("accounted");
    expect(await proveDeep(db)).toMatchObject(EQUAL);
  });

  it("live generation between two loads: incomplete in ods, and no difference", async () => {
    await send(10, false);
    await waitFor("all of it is stored", isStored);
    const { verdict, waiting } = await reconcile();
    expect(verdict).toBe("incomplete");
    expect(waiting.every(({ layer }) => layer === "ods")).toBe(true);
    expect(await proveDeep(db)).toMatchObject(EQUAL);
  });
});
