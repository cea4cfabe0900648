import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Journal, Segment } from "../../../collector/journal.ts";
import { Pump } from "../../../collector/pump.ts";

vi.mock("node:timers/promises");

test("a delivery that fails is repeated less and less often, and soon again after it succeeds", async () => {
  const waits: unknown[] = [];
  vi.mocked(sleep).mockImplementation(async (ms, _, options) => {
    waits.push(ms);
    if (waits.length === 8) await once(options?.signal as AbortSignal, "abort");
    return undefined as never;
  });
  const segment = { first: 0, rows: 1 } as Segment;
  const journal = { begin: 0, end: 1, oldest: async () => segment, delivered: () => undefined };
  const onFailure = vi.fn();
  const pump = new Pump({
    journal: journal as unknown as Journal,
    deliver: async () => {
      if (waits.length < 6) throw new Error("Kafka is away");
      journal.begin = 1;
    },
    onDelivered: () => undefined,
    onFailure: (error) => onFailure(error, pump.failure),
  });
  await vi.waitFor(() => expect(waits).toHaveLength(8));
  expect(waits).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 1000, 1000]);
  expect(onFailure).toHaveBeenCalledTimes(6);
  expect(onFailure).toHaveBeenLastCalledWith(new Error("Kafka is away"), "Kafka is away");
  expect(pump.failure).toBeUndefined();
  await pump.stop();
});
