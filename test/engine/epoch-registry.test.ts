import { beforeEach, describe, expect, test } from "vitest";
import { startEpoch } from "../../warehouse/loader/stg-publisher.ts";
import { clearAll } from "../support/engine.ts";
import { useTestEngine } from "../support/use-engine.ts";

const FIRST = 1_767_225_600_000;
const MINUTE_MS = 60_000;

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

/** Stores one block of raw messages, one per epoch given. */
const store = (epochs: readonly string[]) =>
  engine.db.run(
    `INSERT INTO stg.raw (epoch, _partition, _offset)
     SELECT epoch, 0, number FROM (SELECT [${epochs}]::Array(UInt64) AS epochs)
     ARRAY JOIN epochs AS epoch, arrayEnumerate(epochs) AS number`,
  );

const registered = () =>
  engine.db.rows<{ epoch: string; reason: string }>(
    "SELECT toString(epoch) AS epoch, reason FROM stg.epoch ORDER BY epoch",
  );

describe("an unregistered epoch", () => {
  test("is registered by its first message, once", async () => {
    const epochs = [FIRST, FIRST, FIRST + 1].map(String);
    await store(epochs);
    await store(epochs);
    expect(await registered()).toEqual([
      { epoch: String(FIRST), reason: "first message" },
      { epoch: String(FIRST + 1), reason: "first message" },
    ]);
  });

  test("keeps the reason of its first registration", async () => {
    await engine.db.run(`INSERT INTO stg.epoch (epoch, reason) VALUES (${FIRST}, 'clean start')`);
    await store([String(FIRST)]);
    expect(await registered()).toEqual([{ epoch: String(FIRST), reason: "clean start" }]);
  });

  test("is not registered if it is no possible start time: 0, or in the future", async () => {
    const inTenMinutes = String(Date.now() + 10 * MINUTE_MS);
    await store(["0", inTenMinutes, "18446744073709551615"]);
    expect(await registered()).toEqual([]);
  });

  test("is registered if its writer's clock is slightly fast", async () => {
    const ahead = String(Date.now() + MINUTE_MS);
    await store([ahead]);
    expect(await registered()).toEqual([{ epoch: ahead, reason: "first message" }]);
  });
});

describe("a new epoch", () => {
  test("starts by the clock", async () => {
    const before = Date.now();
    const epoch = await startEpoch(engine.db, "test");
    expect(epoch).toBeGreaterThanOrEqual(before);
    expect(epoch).toBeLessThanOrEqual(Date.now());
    expect(await registered()).toEqual([{ epoch: String(epoch), reason: "test" }]);
  });

  test("is later than the registered ones, even if the clock is behind them", async () => {
    const ahead = Date.now() + MINUTE_MS;
    await store([String(ahead)]);
    expect(await startEpoch(engine.db, "test")).toBe(ahead + 1);
  });
});
