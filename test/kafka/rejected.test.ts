import { describe, expect, it } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { addBatch, emptyStatement } from "../../contract/statement.ts";
import { HEADERS } from "../../contract/topics.ts";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { replay } from "../../warehouse/keep/replay.ts";
import { openTopics } from "../../warehouse/keep/replay-topics.ts";
import { openBrokerFeed } from "../../warehouse/reconciliation/broker-feed.ts";
import { proveWithFeed } from "../../warehouse/reconciliation/concurrent-loads.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  toBatch,
} from "../support/messages.ts";
import { load } from "../support/pipeline.ts";
import { replaceMethods } from "../support/replace-methods.ts";
import { openWholeConsumer } from "./consumer.ts";
import { describeKafka, readTopic } from "./harness.ts";
import { IngestSystem } from "./ingest-system.ts";
import { KafkaSystem, useSystem } from "./system.ts";

const SENT = [browserMessage({}), locationMessage({}), deviceMessage({}), geoMessage({})].map(
  (message) => ({
    ...message,
    key: "key of the session",
    value: message.value.slice(0, -1),
    emittedAt: 1_767_261_600_000_001,
  }),
);
const CLOSE = "SELECT *, concat(raw, '}') AS repaired FROM ods.v_rejected";

describeKafka("rejected messages of a stack", () => {
  /** Repairs messages by replays that are cut, and expects each repair once. */
  async function repair(kafka: KafkaSystem<ServerDatabase>): Promise<void> {
    const { admin, connection, db } = kafka;
    const statement = emptyStatement();
    addBatch(statement, toBatch(SENT));
    const manifest = { kind: "load", statement, isFinal: true };
    await kafka.publish(toBatch(SENT), { manifest }, "load-1");
    await kafka.settle();
    await load(db, "incremental");
    const send = (cut: (held: Database) => Database = (held) => held) =>
      replay(db, CLOSE, {
        open: (held) => openTopics(cut(held), { admin, connection }),
        report: () => undefined,
      });
    const reconcile = () => proveWithFeed(db, (isRetry) => openBrokerFeed(db, admin, isRetry));
    for (let number = 1, isCut = true; isCut; number += 3) {
      let statements = 0;
      isCut = false;
      await send((held) =>
        replaceMethods(held, {
          rows: async (...query) => {
            statements += 1;
            if (statements < number) return held.rows(...query);
            throw new Error("killed");
          },
        }),
      ).catch((error) => {
        expect(String(error)).toContain("killed");
        isCut = true;
      });
      expect((await reconcile()).unaccounted, `statement ${number}`).toBe(0);
    }
    expect(await send()).toBe(0);
    const [first, second, ...more] = await readTopic(admin, "geo_events");
    expect(more).toEqual([]);
    expect(second?.value?.toString()).toBe(`${first?.value}}`);
    expect(second?.key).toBe(first?.key);
    expect(second?.headers.get(HEADERS.emittedAt)).toBe(first?.headers.get(HEADERS.emittedAt));
    await load(db, "incremental");
    const reconciliation = await reconcile();
    expect(reconciliation).toMatchObject({ verdict: "accounted", unaccounted: 0 });
    expect(reconciliation.notes.join()).toContain("4 rejected messages repaired");
  }

  describe("that the Kafka engine reads", () => {
    const kafka = useSystem(new KafkaSystem({ database: openWholeConsumer }));

    it("are repaired once", () => repair(kafka));
  });

  describe("that pipeline ingest reads", () => {
    const ingest = useSystem(new IngestSystem());

    it("are repaired once", () => {
      ingest.start();
      return repair(ingest);
    });
  });
});
