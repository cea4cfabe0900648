import { describe, expect, test } from "vitest";
import { generatorMetrics as names } from "../../../../contract/metrics.ts";
import { Monitor } from "../../../../generator/service/monitor.ts";
import type { ServiceState } from "../../../../generator/service/state.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Value of a gauge while the service is in a state. */
async function gaugeValue(name: string, state: ServiceState): Promise<number> {
  const text = await new Monitor(SILENT).exposition(state);
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

describe("the state of the service", () => {
  const idle = (kind: Exclude<ServiceState["kind"], "running">): ServiceState => ({
    kind,
    reason: "",
  });
  const running: ServiceState = {
    kind: "running",
    operation: "import",
    step: "import",
    reason: "",
    since: 0,
  };

  test.each([
    ["starting", idle("starting"), 0, 1],
    ["standby", idle("standby"), 1, 0],
    ["paused by generator_control", idle("paused"), 2, 0],
    ["finished with a backfill or an import", idle("finished"), 3, 0],
    ["at work, also with GEN_ENABLED=false", running, 4, 1],
    ["refused", idle("refused"), 5, 1],
    ["failed", idle("failed"), 6, 1],
  ] as const)("%s", async (_, state, value, due) => {
    expect(await gaugeValue(names.state, state)).toBe(value);
    expect(await gaugeValue(names.due, state)).toBe(due);
  });
});

test("exports its start time, so that silence counts from the start before the first batch", async () => {
  const text = await new Monitor(SILENT).metrics.registry.metrics();
  const [, started] = new RegExp(`^${names.startedAt} (\\S+)$`, "m").exec(text) ?? [];
  expect(Date.now() / 1000 - Number(started)).toBeLessThan(60);
});
