import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { clearAll, openTestEngine, type TestEngine } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { digestsFromScratch, digestsOf, load, publish } from "../support/pipeline.ts";

let engine: TestEngine;
let messages: readonly Message[];
beforeAll(async () => {
  engine = await openTestEngine();
  ({ messages } = await generateMessages("uncommitted", 2));
});
afterAll(() => engine?.[Symbol.asyncDispose]());

const empty = async (...tables: readonly string[]): Promise<void> => {
  for (const table of tables) await engine.db.run(`TRUNCATE TABLE ${table}`);
};

describe.each(STREAMS)("rows of ods.%s_event without a plan and a commit", (stream) => {
  beforeEach(async () => {
    await clearAll(engine.db);
    await publish(engine.db, messages);
    await load(engine.db, "full");
    const others = STREAMS.filter((name) => name !== stream);
    await empty(...STREAMS.map((name) => `ods.${name}_event_errors`));
    await empty(...others.map((name) => `ods.${name}_event`));
    await empty("dm.load_commit", "dds.load_commit", "ods.load_commit", "ods.load_range");
  });

  test("are removed by the next load", async () => {
    await load(engine.db, "incremental");
    const repaired = await digestsOf(engine.db);
    expect(repaired).toEqual(await digestsFromScratch(engine.db));
  });

  test("are removed by a full refresh where later loads are committed", async () => {
    await engine.db.run("INSERT INTO stg.lease (id) SELECT max(id) + 1 FROM stg.lease");
    await engine.db.run("INSERT INTO ods.load_commit (load_id) SELECT max(id) FROM stg.lease");
    await load(engine.db, "full");
    const repaired = await digestsOf(engine.db);
    expect(repaired).toEqual(await digestsFromScratch(engine.db));
  });
});
