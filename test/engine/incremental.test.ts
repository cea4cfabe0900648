import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { clearAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  generateMessages,
  type Message,
  uuid,
} from "../support/messages.ts";
import { derivedDigests, digestsOf, load, newEpoch, publish } from "../support/pipeline.ts";
import { IS_EXHAUSTIVE } from "../support/sample.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

const events = () =>
  engine.db.rows<Record<string, unknown>>("SELECT * FROM dds.event ORDER BY event_id");

describe("an incremental load equals a full refresh", () => {
  test("with any cuts, order between streams, repeats and epochs", async () => {
    const { db } = engine;
    const { messages } = await generateMessages("increments", 4);
    await publish(db, messages);
    await load(db, "full");
    const expected = await digestsOf(db);

    const cuts = fc.array(fc.nat({ max: messages.length }), { maxLength: 4 });
    const order = fc.infiniteStream(fc.nat());
    await fc.assert(
      fc.asyncProperty(cuts, order, async (positions, random) => {
        await clearAll(db);
        const shuffled = interleave(messages, random);
        const bounds = [0, ...positions.toSorted((a, b) => a - b), messages.length];
        for (const [index, end] of bounds.slice(1).entries()) {
          await publish(db, shuffled.slice(bounds[index], end));
          await load(db, "incremental");
        }
        expect(await digestsOf(db)).toEqual(expected);
        await load(db, "full");
        expect(await digestsOf(db)).toEqual(expected);
      }),
      { numRuns: IS_EXHAUSTIVE ? 50 : 2, seed: 20_260_101 },
    );
  });

  test("if a second epoch repeats, moves and adds events", async () => {
    const { db } = engine;
    const { messages } = await generateMessages("epochs", 3);
    await publish(db, messages.slice(0, messages.length / 2));
    await load(db, "incremental");
    await newEpoch(db);
    await publish(db, [
      ...messages,
      browserMessage({ event_id: uuid(1), click_id: uuid(101) }),
      deviceMessage({ click_id: uuid(101) }),
    ]);
    await load(db, "incremental");
    await newEpoch(db);
    await publish(db, [
      browserMessage({ event_id: uuid(1), click_id: uuid(102), event_type: "x" }),
    ]);
    await load(db, "incremental");
    const incremental = await derivedDigests(db);
    await load(db, "full");
    expect(await derivedDigests(db)).toEqual(incremental);
    expect(await events()).toContainEqual(
      expect.objectContaining({ event_id: uuid(1), click_id: uuid(102), superseded: 1 }),
    );
  });

  /** Mixes the streams at random, and keeps the order inside each stream, as a partition does. */
  function interleave(messages: readonly Message[], random: Iterator<number>): Message[] {
    const queues = Map.groupBy(messages, (message) => message.stream);
    const mixed: Message[] = [];
    while (queues.size > 0) {
      const streams = [...queues.keys()];
      const stream = streams[random.next().value % streams.length];
      const queue = stream && queues.get(stream);
      const next = queue?.shift();
      if (next) mixed.push(next);
      else if (stream) queues.delete(stream);
    }
    return mixed;
  }
});
