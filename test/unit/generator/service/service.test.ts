import { expect, test, vi } from "vitest";

vi.mock("../../../../kafka/client.ts", () => ({
  openBroker: async () => ({ close: async () => undefined }),
}));
vi.mock("../../../../kafka/epoch.ts", () => ({
  requireTopics: async () => undefined,
  requireEpoch: async () => undefined,
}));
interface Progress {
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

/** True after a load has re-created the topics. */
let isLoaded = false;
/** An operation that runs until it is stopped, or is refused after a load. */
vi.mock("../../../../generator/operations/operation.ts", () => ({
  prepareOperation: async (_: unknown, request: object) => ({
    request,
    decision: isLoaded
      ? { action: "refuse", reason: "not empty", hint: "clean start" }
      : { action: "run", steps: ["live"], reason: "history, 14 s" },
    instance: { isWritten: false, others: isLoaded ? ["load-1"] : [] },
  }),
  runOperation: (_: unknown, __: unknown, { signal, onStep }: Progress) => {
    onStep("backfill");
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
  },
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
    config: { enabled: true, runMode: "live" },
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

test("after a load a resumed service is in standby and says how to publish again", async () => {
  const one = service();
  await one.start({ operation: "live" });
  await one.pause();
  isLoaded = true;
  const refused = {
    action: "refuse",
    reason: "The generator is in standby: a load filled the topics (load-1)",
    hint: expect.stringMatching(
      /^run pipeline generator clean-start --yes --t-end now, which deletes/,
    ),
  };
  expect(await one.resume()).toEqual(refused);
  expect(one.state.kind).toBe("standby");
  expect(await one.resume()).toEqual(refused);
  isLoaded = false;
  expect((await one.resume()).action).toBe("run");
  expect(one.state.kind).toBe("running");
  const reason = "live is running (backfill): history, 14 s";
  expect(await one.resume()).toEqual({ action: "run", steps: [], reason });
  await one.close();
});
