import { describe, expect, it } from "vitest";
import { emptyBatch } from "../../../contract/ports.ts";
import { MINUTE, parseMicros } from "../../../contract/time.ts";
import { simulationOf } from "../../../generator/behaviour/behaviour.ts";
import { configWith, donors, simulate } from "./support.ts";

/** Properties that an hour already shows; `simulation.test.ts` covers whole days. */
const config = configWith({ GEN_DEFECTS: "late=0.2,malformed=0.1,bad_geo=0.2,missing_device=0.1" });

describe("a run of an hour", () => {
  it("does not go back, and its snapshots are read-only", () => {
    const { simulation } = simulate(config, 10);
    const before = simulation.snapshot();
    expect(simulation.advance(config.t0 + 5 * MINUTE)).toEqual(emptyBatch());
    expect(simulation.modelTime).toBe(config.t0 + 10 * MINUTE);
    simulation.advance(config.t0 + 20 * MINUTE);
    expect(before).toEqual(simulate(config, 10).simulation.snapshot());
    const restored = simulationOf(config, donors, before);
    restored.advance(config.t0 + 20 * MINUTE);
    expect(before).toEqual(simulate(config, 10).simulation.snapshot());
    expect(restored.snapshot()).toEqual(simulation.snapshot());
  });

  it("aims at the rate times speed and coefficient of its hour", () => {
    const fast = configWith({
      GEN_MODEL_T0: "2026-01-01T08:59:00Z",
      GEN_MODEL_TIME_SPEED: "60",
      GEN_LAMBDA_BASE_PER_MIN: "10",
      GEN_MAX_EVENTS_PER_TICK: "1000",
    });
    const simulation = simulationOf(fast, donors);
    expect([simulation.coefficient, simulation.targetRate]).toEqual([1, 600]);
    simulation.advance(parseMicros("2026-01-01T09:00:00Z"));
    expect([simulation.coefficient, simulation.targetRate]).toEqual([1.2, 720]);
  });
});
