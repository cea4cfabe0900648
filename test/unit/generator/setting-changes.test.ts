import type { Admin } from "@platformatic/kafka";
import { describe, expect, it } from "vitest";
import { HOUR, isoMicros } from "../../../contract/time.ts";
import { DONORS, findIncompatibility } from "../../../generator/fingerprint.ts";
import { parseState } from "../../../generator/model/state.ts";
import { cleanRecord } from "../../../generator/operations/record.ts";
import {
  changesFrom,
  compareStoredSettings,
} from "../../../generator/operations/stored-settings.ts";
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
    expect(later.state().sent.counts.browser).toBe(all);
  });

  it("is recorded with its start, and earlier changes stay", () => {
    const { later } = goOn({ GEN_TICK_SECONDS: "10", GEN_P_NEW_USER: "0.5" });
    const again = new GeneratorRun(configWith({ GEN_TICK_SECONDS: "10" }), donors, later.state());
    const stored = parseState(JSON.stringify(again.state()), donors);
    const [noon, four] = [12, 16].map((hours) => isoMicros(config.t0 + hours * HOUR));
    const all = [...(stored.earlier ?? []), { until: null, settings: stored.settings }];
    expect(
      all.map(({ until, settings }) => [until, settings.GEN_TICK_SECONDS, settings.GEN_P_NEW_USER]),
    ).toEqual([
      [noon, "5", "0.15"],
      [four, "10", "0.5"],
      [null, "10", "0.15"],
    ]);
  });

  it("leaves no trace in a state without a change", () => {
    expect(goOn({}).later.state()).not.toHaveProperty("earlier");
  });
});

const none = { GEN_DEFECTS: "none" };
const record = { ...cleanRecord(), phase: "live", generator: state } as const;
const compare = (env: Record<string, string>) => changesFrom(record, { ...none, ...env });

describe("the comparison with a stored state", () => {
  it("names what applies from now on", () => {
    expect(compare({ GEN_LAMBDA_BASE_PER_MIN: "60" })).toEqual([
      "GEN_LAMBDA_BASE_PER_MIN: 60 from now on; events so far keep 30",
    ]);
    expect(compare({})).toEqual([]);
    expect(compare({ GEN_MODEL_T0: "now-7d", GEN_BEHAVIOUR: "shop-if-new" })).toEqual([]);
  });

  it("says that an unfinished history keeps its settings", () => {
    const end = { phase: "backfill", t_end_us: state.model_time_us + HOUR } as const;
    expect(changesFrom({ ...record, ...end }, { ...none, GEN_LAMBDA_BASE_PER_MIN: "60" })).toEqual([
      "GEN_LAMBDA_BASE_PER_MIN: 60 after the end of the history, which keeps 30",
    ]);
  });

  it.each([
    ["GEN_SEED", "2", "1"],
    ["GEN_MODEL_TIMEZONE", "Asia/Kolkata", "UTC"],
    ["GEN_POPULATION_MAX", "9", "300"],
    ["GEN_BEHAVIOUR", "shop", "plain"],
  ])("refuses another %s and names the way back", (name, value, stored) => {
    const refused = () => compare({ [name]: value });
    expect(refused).toThrow(`${name}: ${stored} in the state`);
    expect(refused).toThrow(expect.objectContaining({ hint: `set ${name} back to ${stored}` }));
  });

  it.each([
    [
      "a seed of several words",
      { GEN_SEED: "a b c" },
      { GEN_SEED: "1" },
      "set GEN_SEED back to a b c",
    ],
    ["other donors", { [DONORS]: "aa" }, { [DONORS]: "bb" }, "restore the dataset in GEN_DATA_DIR"],
    [
      "another version",
      { "model version": "0" },
      { "model version": "1" },
      "use the version that wrote the data",
    ],
    [
      "another shop",
      { GEN_BEHAVIOUR: "shop aa" },
      { GEN_BEHAVIOUR: "shop bb" },
      "use the version that wrote the data",
    ],
  ])("names a way back that exists for %s", (_, then, now, hint) => {
    expect(findIncompatibility(then, now)?.hint).toBe(hint);
  });

  it.each([{ GEN_STATE_RESET: "true" }, { GEN_ENABLED: "false" }])(
    "asks no broker with %j, because nothing goes on with the state",
    async (env) => {
      const noBroker = {} as Admin;
      expect(await compareStoredSettings(noBroker, { GEN_SEED: "2", ...env })).toEqual([]);
    },
  );
});
