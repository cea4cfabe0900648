import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { openDataset } from "../../generator/dataset/format.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { loadIntoKafka } from "../../warehouse/loader/kafka.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { openWholeConsumer } from "./consumer.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { KafkaSystem, useSystem } from "./system.ts";

const SAMPLE = join(import.meta.dirname, "../../data/sample");
const EQUAL = { layers: [], rows: [], unchecked: [] };

describeKafka("the checks of a warehouse that a broker feeds", () => {
  const kafka = useSystem(new KafkaSystem({ database: openWholeConsumer }));

  const send = async (limit: number, reset: boolean) =>
    loadIntoKafka(await openDataset(SAMPLE), {
      connection: kafka.connection,
      admin: kafka.admin,
      database: kafka.db,
      limit,
      reset,
      force: false,
    });
  const isStored = async () => (await kafka.prove()).waiting.every(({ layer }) => layer !== "stg");
  const run = () => transform(kafka.db, { fullRefresh: false, waitSeconds: 30 });

  beforeAll(async () => {
    await send(60, true);
    await waitFor("all of it is stored", isStored);
    await run();
  });

  it("ods holds every message of four partitions, with headers and broker times", async () => {
    expect((await kafka.prove()).verdict).toBe("accounted");
    expect(await proveDeep(kafka.db)).toMatchObject(EQUAL);
  });

  it("with the reader detached: incomplete in stg, and no difference", async () => {
    await kafka.db.run("DETACH TABLE stg.queue SYNC");
    await send(10, false);
    await run();
    const loaded = await kafka.prove();
    expect(loaded.verdict).toBe("incomplete");
    expect(loaded.waiting).toMatchObject(STREAMS.map((stream) => ({ layer: "stg", stream })));
    expect(await proveDeep(kafka.db)).toMatchObject(EQUAL);
    await ensureTopics(kafka.admin, { database: kafka.db });
    await waitFor("all of it is stored", isStored);
    await run();
    expect((await kafka.prove()).verdict).toBe("accounted");
    expect(await proveDeep(kafka.db)).toMatchObject(EQUAL);
  });

  it("live generation between two loads: incomplete in ods, and no difference", async () => {
    await send(10, false);
    await waitFor("all of it is stored", isStored);
    const { verdict, waiting } = await kafka.prove();
    expect(verdict).toBe("incomplete");
    expect(waiting.every(({ layer }) => layer === "ods")).toBe(true);
    expect(await proveDeep(kafka.db)).toMatchObject(EQUAL);
  });
});
