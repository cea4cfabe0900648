import { describe, expect, it } from "vitest";
import { settingsPeriods } from "../../../contract/settings.ts";
import { HOUR, isoMicros } from "../../../contract/time.ts";
import { parseState } from "../../../generator/model/state.ts";
import { changesFrom } from "../../../generator/operations/stored-settings.ts";
import { GeneratorRun } from "../../../generator/run.ts";
import { configWith, donors, joined } from "./support.ts";

const config = configWith();
const run = new GeneratorRun(config, donors);
const before = run.advance(config.t0 + 12 * HOUR);
const state = run.state();

/** Hours 12 to 16 with other settings. */
function goOn(env: Record<string, string>) {
  const later = new GeneratorRun(configWith(env), donors, state);
  return { later, batch: later.advance(config.t0 + 16 * HOUR) };
}

describe("a setting that changes while a history goes on", () => {
  it("applies to what is generated from then on", () => {
    const same = goOn({}).batch;
    const { later, batch } = goOn({ GEN_LAMBDA_BASE_PER_MIN: "90", GEN_MAX_EVENTS_PER_TICK: "90" });
    const [more, usual] = [batch, same].map(({ browser }) => browser.values.length);
    expect(Number(more) / Number(usual)).toBeGreaterThan(1.8);
    const all = joined([before, batch]).browser.values.length;
    expect(later.state().ledger.counts.browser).toBe(all);
  });

  it("is recorded with its start, and earlier changes stay", () => {
    const { later } = goOn({ GEN_TICK_SECONDS: "10", GEN_P_NEW_USER: "0.5" });
    const again = new GeneratorRun(configWith({ GEN_TICK_SECONDS: "10" }), donors, later.state());
    const stored = parseState(JSON.stringify(again.state()), donors);
    const [noon, four] = [12, 16].map((hours) => isoMicros(config.t0 + hours * HOUR));
    expect(stored.changes).toEqual([
      { at: noon, name: "GEN_TICK_SECONDS", before: "5", after: "10" },
      { at: noon, name: "GEN_P_NEW_USER", before: "0.15", after: "0.5" },
      { at: four, name: "GEN_P_NEW_USER", before: "0.5", after: "0.15" },
    ]);
    const periods = settingsPeriods({ settings: stored.settings, changes: stored.changes ?? [] });
    expect(
      periods.map(({ from, settings }) => [
        from,
        settings.GEN_TICK_SECONDS,
        settings.GEN_P_NEW_USER,
      ]),
    ).toEqual([
      [null, "5", "0.15"],
      [noon, "10", "0.5"],
      [four, "10", "0.15"],
    ]);
  });

  it("leaves no trace in a state without a change", () => {
    expect(goOn({}).later.state()).not.toHaveProperty("changes");
  });
});

const none = { GEN_DEFECTS: "none" };

describe("the comparison with a stored state", () => {
  it("names what applies from now on", () => {
    expect(changesFrom(state, { ...none, GEN_LAMBDA_BASE_PER_MIN: "60" })).toEqual([
      "GEN_LAMBDA_BASE_PER_MIN: 60 from now on; events so far keep 30",
    ]);
    expect(changesFrom(state, none)).toEqual([]);
    expect(
      changesFrom(state, { ...none, GEN_MODEL_T0: "now-7d", GEN_BEHAVIOUR: "shop-if-new" }),
    ).toEqual([]);
  });

  it.each([
    ["GEN_SEED", "2", "1"],
    ["GEN_MODEL_TIMEZONE", "Asia/Kolkata", "UTC"],
    ["GEN_POPULATION_MAX", "9", "300"],
    ["GEN_BEHAVIOUR", "shop", "plain"],
  ])("refuses another %s and names the way back", (name, value, stored) => {
    const refused = () => changesFrom(state, { [name]: value });
    expect(refused).toThrow(`${name}: ${stored} in the state`);
    expect(refused).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(`set ${name} back to ${stored}`) }),
    );
  });

  it("accepts all settings if nothing goes on with the state", () => {
    expect(changesFrom(state, { GEN_SEED: "2", GEN_STATE_RESET: "true" })).toEqual([]);
    expect(changesFrom(state, { GEN_SEED: "2", GEN_ENABLED: "false" })).toEqual([]);
  });
});
