import { expect, test } from "vitest";
import { HOUR } from "../../../../contract/time.ts";
import { parseConfig } from "../../../../generator/config.ts";
import { loadDonors } from "../../../../generator/dataset/donors.ts";
import { GeneratorRun } from "../../../../generator/run.ts";
import { modelOf } from "../../../../warehouse/history/model-config.ts";

async function manifestOf(behaviour: string) {
  const config = parseConfig({
    GEN_SEED: "model",
    GEN_MODEL_T0: "2026-01-01T00:00:00Z",
    GEN_BEHAVIOUR: behaviour,
  });
  const run = new GeneratorRun(config, await loadDonors(config));
  run.advance(config.t0 + HOUR);
  return run.manifest(config.t0 + HOUR);
}

test.each(["plain", "shop"])(
  "the manifest of %s confirms the model, whatever GEN_BEHAVIOUR is",
  async (behaviour) => {
    const manifest = await manifestOf(behaviour);
    for (const settings of [{}, { GEN_BEHAVIOUR: "plain" }, { GEN_BEHAVIOUR: "shop" }]) {
      const { config, isConfirmed } = await modelOf(manifest, settings);
      expect(isConfirmed).toBe(true);
      expect(config.behaviour).toBe(behaviour);
    }
  },
);

test("other settings than those of the manifest are not confirmed", async () => {
  const manifest = await manifestOf("shop");
  const { isConfirmed } = await modelOf(manifest, { GEN_LAMBDA_BASE_PER_MIN: "60" });
  expect(isConfirmed).toBe(false);
});
