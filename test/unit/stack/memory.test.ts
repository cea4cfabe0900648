import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { peakOf, watchMemory } from "../../../pipeline/stack/manage/memory.ts";

const use = (service: string, used: number) => ({ service, used, limit: 1024 });

test("a peak is that of all at one moment, and of each by itself", () => {
  const samples = [[use("a", 100), use("b", 10)], [use("a", 50), use("b", 80)], []];
  expect(peakOf(samples)).toEqual({ total: 130, services: [use("a", 100), use("b", 80)] });
  expect(peakOf([])).toEqual({ total: 0, services: [] });
});

test("a watch looks as long as it goes on, and forgives an engine that does not tell", async () => {
  const look = vi.fn().mockResolvedValue([use("a", 10)]);
  look.mockResolvedValueOnce([use("a", 70)]).mockRejectedValueOnce(new Error("gone"));
  const watch = watchMemory(look);
  await vi.waitFor(() => expect(look.mock.calls.length).toBeGreaterThan(2), { timeout: 10_000 });
  expect(await watch.stop()).toEqual({ total: 70, services: [use("a", 70)] });
});

test("its end waits for the first look, however short the step, and for no other", async () => {
  const late = (used: number) => async () => {
    await sleep(50);
    return [use("a", used)];
  };
  expect(await watchMemory(late(30)).stop()).toMatchObject({ total: 30 });
  const look = vi.fn(late(40)).mockImplementation(() => new Promise(() => {}));
  look.mockImplementationOnce(late(40));
  const watch = watchMemory(look);
  await vi.waitFor(() => expect(look.mock.calls.length).toBe(2), { timeout: 10_000 });
  expect(await watch.stop()).toMatchObject({ total: 40 });
});
