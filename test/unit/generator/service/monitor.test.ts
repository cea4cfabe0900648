import { describe, expect, test } from "vitest";
import { generatorMetrics as names } from "../../../../contract/metrics.ts";
import { MINUTE } from "../../../../contract/time.ts";
import { GeneratorRun } from "../../../../generator/run.ts";
import { Monitor } from "../../../../generator/service/monitor.ts";
import type { ServiceState } from "../../../../generator/service/state.ts";
import { configWith, donors } from "../support.ts";

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

describe("clamped ticks and rejected sessions", () => {
  const config = configWith({
    GEN_MIN_EVENTS_PER_TICK: "0",
    GEN_MAX_EVENTS_PER_TICK: "0.3",
    GEN_MAX_ACTIVE_SESSIONS: "1",
  });
  const counted = async (monitor: Monitor) => {
    const text = await monitor.metrics.registry.metrics();
    return [names.clampedTicks, names.rejectedSessions].map((name) =>
      Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]),
    );
  };
  const countersOf = ({ simulation }: GeneratorRun) => {
    const { clampedTicks, rejectedSessions } = simulation.counters;
    return [clampedTicks, rejectedSessions];
  };
  /** Lets a run go on for a model hour. Returns by how much its counters grew. */
  const goOn = (run: GeneratorRun, monitor: Monitor): number[] => {
    const before = countersOf(run);
    run.advance(run.modelTime + 60 * MINUTE);
    monitor.advanced(run);
    return countersOf(run).map((value, i) => value - (before[i] ?? 0));
  };
  const begun = (monitor: Monitor, from?: ReturnType<GeneratorRun["state"]>) => {
    const run = new GeneratorRun(config, donors, from);
    monitor.advanced(run);
    return run;
  };

  test("are those since the start of the process, also of a run that is resumed", async () => {
    const earlier = new Monitor(SILENT);
    const first = begun(earlier);
    const grown = goOn(first, earlier);
    expect(Math.min(...grown)).toBeGreaterThan(0);
    expect(await counted(earlier)).toEqual(grown);
    const later = new Monitor(SILENT);
    const resumed = begun(later, first.state());
    expect(countersOf(resumed)).toEqual(countersOf(first));
    expect(await counted(later)).toEqual([0, 0]);
    expect(goOn(resumed, later)).toEqual(await counted(later));
  });

  test("go on with a run that starts from zero", async () => {
    const monitor = new Monitor(SILENT);
    const before = goOn(begun(monitor), monitor);
    const after = goOn(begun(monitor), monitor);
    expect(await counted(monitor)).toEqual(before.map((value, i) => value + (after[i] ?? 0)));
  });
});
