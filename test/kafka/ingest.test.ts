import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { exactly, storedNumbers } from "./consumer.ts";
import { describeKafka } from "./harness.ts";
import { IngestSystem, rawRows } from "./ingest-system.ts";
import { numbered } from "./messages.ts";

describeKafka("pipeline ingest", () => {
  let system: IngestSystem;
  beforeAll(async () => {
    system = await IngestSystem.open();
    // Merges remove second copies of a row, which these tests must see.
    for (const stream of STREAMS) await system.db.run(`SYSTEM STOP MERGES stg.${stream}_raw`);
  });
  afterAll(() => system?.close());

  it("stores exactly the published messages, and stops after its batch", async () => {
    const publisher = await system.publisher();
    await publisher.publishBatch(numbered(0, 5_000));
    const service = system.start();
    await system.settle();
    await publisher.publishBatch(numbered(5_000, 5_000));
    await system.settle();
    await publisher.close();
    for (const stream of STREAMS) {
      expect(await storedNumbers(system.db, stream)).toEqual(exactly(10_000));
    }
    expect(await rawRows(system.db)).toEqual({
      browser: 10_000,
      location: 10_000,
      device: 10_000,
      geo: 10_000,
    });
    expect(await service.stop()).toBe(0);
    console.log(service.output);
  });
});
