import { expect, test } from "vitest";
import { HOUR } from "../../../../contract/time.ts";
import { parseConfig } from "../../../../generator/config.ts";
import { loadDonors } from "../../../../generator/dataset/donors.ts";
import { modelOfSettings, shapingSettings } from "../../../../generator/fingerprint.ts";
import { GeneratorRun } from "../../../../generator/run.ts";
import { modelOf } from "../../../../warehouse/history/model.ts";

const env = { GEN_SEED: "model", GEN_MODEL_T0: "2026-01-01T00:00:00Z" };

async function runOf(variables: Record<string, string>) {
  const config = parseConfig({ ...env, ...variables });
  const run = new GeneratorRun(config, await loadDonors(config));
  run.advance(config.t0 + HOUR);
  return { run, config, manifest: run.manifest(config.t0 + HOUR) };
}

test.each([
  { GEN_BEHAVIOUR: "plain" },
  { GEN_BEHAVIOUR: "shop", GEN_LAMBDA_BASE_PER_MIN: "60", GEN_P_NEW_USER: "1e-7" },
  { GEN_SCENARIO: "checkout-bug", GEN_DEFECTS: "late=0.2" },
  // Its default end is before this start.
  {
    GEN_SCENARIO: "calm-week",
    GEN_MODEL_T0: "2026-11-01T00:00:00Z",
    GEN_MODEL_T_END: "2026-11-08T00:00:00Z",
  },
])("the manifest of a history with %j names its settings", async (variables) => {
  const { config, manifest } = await runOf(variables);
  const model = modelOf({ manifest });
  if (model === undefined) throw new Error("no model");
  expect(model.doubt).toBeNull();
  expect(model.periods).toEqual([{ from: Number.NEGATIVE_INFINITY, config: model.config }]);
  expect(shapingSettings(model.config, "")).toEqual(shapingSettings(config, ""));
  expect(modelOfSettings(manifest.settings ?? {})).toEqual(model.config);
});

test("settings of another version of a behaviour are in doubt", async () => {
  const { manifest } = await runOf({ GEN_BEHAVIOUR: "shop" });
  const settings = { ...manifest.settings, GEN_BEHAVIOUR: "shop 0123456789abcdef" };
  expect(modelOf({ manifest: { ...manifest, settings } })?.doubt).toMatch(/another model/);
});

test("the state of live events adds a period for each change", async () => {
  const { run, config, manifest } = await runOf({});
  const faster = { ...config, eventsPerMinute: 60 };
  const live = new GeneratorRun(faster, await loadDonors(config), run.state());
  live.advance(config.t0 + 2 * HOUR);
  const slower = { ...faster, eventsPerMinute: 15, tickSeconds: 10 };
  const later = new GeneratorRun(slower, await loadDonors(config), live.state());
  const { settings, earlier = [] } = later.state();
  const model = modelOf({ manifest, settings: { settings, earlier } });
  expect(model?.doubt).toBeNull();
  expect(
    model?.periods.map(({ from, config: { eventsPerMinute, tickSeconds } }) => [
      from,
      eventsPerMinute,
      tickSeconds,
    ]),
  ).toEqual([
    [Number.NEGATIVE_INFINITY, 30, 5],
    [config.t0 + HOUR, 60, 5],
    [config.t0 + 2 * HOUR, 15, 10],
  ]);
});

test("data without known settings have no model", () => {
  expect(modelOf(undefined)).toBeUndefined();
});
