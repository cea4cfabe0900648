import { expect, test, vi } from "vitest";

vi.mock("../../../../kafka/client.ts", () => ({
  openBroker: async () => ({ close: async () => undefined }),
}));
vi.mock("../../../../kafka/epoch.ts", () => ({
  requireTopics: async () => undefined,
  requireEpoch: async () => undefined,
}));
/** An operation that runs until it is stopped. */
vi.mock("../../../../generator/operations/operation.ts", () => ({
  prepareOperation: async (_: unknown, request: object) => ({
    request,
    decision: { action: "run", steps: ["live"], reason: "" },
  }),
  runOperation: (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
}));

const { GeneratorService } = await import("../../../../generator/service/service.ts");
const { Monitor } = await import("../../../../generator/service/monitor.ts");
const { areBatchesDue } = await import("../../../../generator/service/state.ts");

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const service = () =>
  new GeneratorService({
    connection: { bootstrap: "none:9092" } as never,
    instance: "test",
    env: {},
    monitor: new Monitor(log),
    log,
    enabled: true,
    startsWithHistory: false,
    onFatal: () => undefined,
  });

test("a paused service has no batch due, a resumed one has", async () => {
  const one = service();
  await one.start({ operation: "live" });
  expect(areBatchesDue(one.state)).toBe(true);
  await one.pause();
  expect(one.state.kind).toBe("paused");
  expect(areBatchesDue(one.state)).toBe(false);
  await one.resume();
  expect(areBatchesDue(one.state)).toBe(true);
});

test("the end of the process is no pause: the last scrape reports that batches are due", async () => {
  const one = service();
  await one.start({ operation: "live" });
  await one.close();
  expect(areBatchesDue(one.state)).toBe(true);
});
